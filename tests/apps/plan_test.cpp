// gpscl plan, and gpscl run --plan.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

namespace gps {
namespace plan_test {

using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;
using testing::ProgramOptions;

class PlanCommand : public ::testing::Test {
 protected:
  PlanCommand() {
    testing::write_tiny_mnist(folder_.path() / "data");
    std::filesystem::create_directory(folder_.path() / "work");
  }
  Outcome call(std::vector<std::string> arguments) const {
    return gpscl(arguments, {.folder = folder_.path() / "work", .data = folder_.path() / "data"});
  }
  // Few tasks and a small network, so that a plan takes a moment.
  Outcome plan(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"plan",     "p-mnist", "--tasks",  "3",
                                          "--hidden", "16",      "--memory", "30"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments);
  }
  std::filesystem::path work() const { return folder_.path() / "work"; }

 private:
  testing::TemporaryFolder folder_;
};

std::string last_line(const std::string& text) { return lines_of(text).back(); }

TEST_F(PlanCommand, SaysWhatItChoseWhatToExpectAndHowToDoIt) {
  const Outcome outcome = plan({});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("plan for task 1 and all later ones: "));
  EXPECT_THAT(outcome.out, HasSubstr("expected accuracy after the last task: "));
  EXPECT_THAT(outcome.out, HasSubstr("To follow this plan:\n  gpscl run p-mnist"));
  EXPECT_TRUE(std::filesystem::is_empty(work())) << "nothing is kept";
}

TEST_F(PlanCommand, PrintsACommandThatTheProgramCarriesOut) {
  const Outcome outcome = plan({"--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  std::vector<std::string> words;
  for (const std::string& word : split(json.at("command").get<std::string>(), ' '))
    words.push_back(word);
  ASSERT_EQ(words.at(0), "gpscl");
  words.erase(words.begin());
  words.insert(words.end(), {"--json"});
  const Outcome run = call(words);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json spec = nlohmann::json::parse(run.out).at(0).at("spec");
  const nlohmann::json recipe = json.at("choices").at(0).at("recipe");
  EXPECT_EQ(spec.at("learner"), recipe.at("learner"));
  EXPECT_EQ(spec.at("learning_rate"), recipe.at("learning_rate"));
  EXPECT_EQ(spec.at("steps"), recipe.at("steps"));
}

TEST_F(PlanCommand, LeavesAloneWhatIsGiven) {
  const Outcome outcome = plan({"--learner", "er", "--lr", "0.07", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json plan = nlohmann::json::parse(outcome.out);
  for (const nlohmann::json& trial : plan.at("choices").at(0).at("trials")) {
    EXPECT_EQ(trial.at("recipe").at("learner"), "er");
    EXPECT_EQ(trial.at("recipe").at("learning_rate"), 0.07);
  }
}

TEST_F(PlanCommand, TriesLessWithASmallerBudget) {
  const auto tried = [&](const std::string& budget) {
    const Outcome outcome = plan({"--budget", budget, "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out).at("choices").at(0).at("trials").size();
  };
  EXPECT_LT(tried("1%"), tried("1000%"));
  EXPECT_GE(tried("0.000001s"), 9u) << "the opening is always tried";
}

TEST_F(PlanCommand, RefusesMistakesInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"--budget", "10"}, "--budget must be percent or seconds"},
      {{"--budget", "x%"}, "--budget must be"},
      {{"--budget", "0s"}, "--budget must be"},
      {{"--knobs", "speed"}, "--knobs does not know 'speed'"},
      {{"--knobs", "lr", "--lr", "0.1"}, "--knobs must not name lr if --lr is given"},
      {{"--learner", "sgd"}, "--plan works with the learners er, der and der++"},
      {{"--policy", "reservoir,ring-full"}, "one plan"},
      {{"--picture"}, "gpscl plan does not take --picture"},
      {{"--tensorboard", "x"}, "gpscl plan does not take --tensorboard"},
      {{"--resume"}, "gpscl plan does not take --resume"},
      {{"--restart"}, "gpscl plan does not take --restart"},
      {{"--export", "model"}, "gpscl plan does not take --export"},
      {{"--out", "x"}, "gpscl plan does not take --out"},
      {{"--store", "x"}, "gpscl plan does not take --store"},
      {{"--checkpoint-every", "1"}, "gpscl plan does not take --checkpoint-every"},
      {{"--seeds", "2"}, "gpscl plan does not take --seeds: it makes one plan; use --seed"},
  };
  for (const auto& [arguments, said] : mistakes) {
    const Outcome outcome = plan(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << said;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(said));
  }
}

TEST_F(PlanCommand, OfAStreamWithNewClassesSaysThatMoreIsDecidedLater) {
  const Outcome outcome =
      call({"plan", "s-mnist", "--hidden", "16", "--memory", "30", "--knobs", "lr,length"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("before each later task"));
}

TEST_F(PlanCommand, OfARunIsToldBeforeItIsTrainedAndKeptInItsResult) {
  for (const std::vector<std::string>& knobs :
       {std::vector<std::string>{"--plan"}, {"--plan", "lr,length"}}) {
    std::vector<std::string> arguments = {"run", "p-mnist",  "--tasks", "3",     "--hidden",
                                          "16",  "--memory", "30",      "--json"};
    arguments.insert(arguments.end(), knobs.begin(), knobs.end());
    const Outcome outcome = call(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("plan for task 1"));
    const nlohmann::json result = nlohmann::json::parse(outcome.out).at(0);
    EXPECT_EQ(result.at("spec").at("plan"), knobs.size() == 1 ? "all" : "lr,length");
    EXPECT_EQ(result.at("plan").at("choices").size(), 1u);
  }
}

}  // namespace plan_test
}  // namespace gps
