// What the program says of planned runs that are done.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "apps/matches.h"
#include "apps/tiny_program_run.h"

namespace gps {
namespace planned_runs_test {

using testing::all_matches;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;

const std::string kPercent = "[0-9]+\\.[0-9]";

class PlannedRuns : public testing::TinyProgramRun {
 protected:
  Outcome run(const std::vector<std::string>& added, const std::string& stream = "p-mnist",
              const std::string& out = "out") const {
    std::vector<std::string> all = {
        "run", stream,     "--data", path("data").string(), "--out", path(out).string(), "--hidden",
        "16",  "--memory", "20"};
    if (stream == "p-mnist") all.insert(all.end(), {"--tasks", "2"});
    all.insert(all.end(), added.begin(), added.end());
    return gpscl(all);
  }
  Outcome runs(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "runs");
    arguments.insert(arguments.end(), {"--store", (path("out") / "runs.sqlite").string()});
    return gpscl(arguments);
  }
};

TEST_F(PlannedRuns, TellWhatWasExpectedBesideWhatWasReached) {
  const Outcome outcome = run({"--plan", "--seeds", "2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string line = "^plan seed [01]: expected " + kPercent + " to " + kPercent +
                           " %, reached " + kPercent + " %$";
  EXPECT_EQ(all_matches(outcome.out, line).size(), 2u) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("p-mnist, learner plan, 2 tasks"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("epoch"))) << "the length was planned";
  EXPECT_THAT(outcome.out, Not(HasSubstr("learning rate")));
  EXPECT_THAT(run({"--epochs", "1"}).out, Not(HasSubstr("expected")));
}

TEST_F(PlannedRuns, OfStreamsWithNewClassesSayThatNothingWasPredicted) {
  const Outcome outcome = run({"--plan", "lr"}, "s-mnist");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(all_matches(outcome.out, "^plan:lr reservoir seed 0: nothing was predicted, reached " +
                                         kPercent + " %$")
                .size(),
            1u)
      << outcome.out;
  const Outcome shown = runs({"show", "1"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("\nplan: nothing was predicted, reached "));
  EXPECT_EQ(
      all_matches(shown.out, "^tasks +tried +stopped early +steps of planning +chosen").size(), 1u)
      << shown.out;
  EXPECT_EQ(all_matches(shown.out, "^before task +accuracy % +candidate +chosen").size(), 1u)
      << shown.out;
}

TEST_F(PlannedRuns, AreShownWithTheirPlan) {
  ASSERT_EQ(run({"--plan"}).exit_code, 0);
  const Outcome shown = runs({"show", "1"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("p-mnist plan seed 0: done"));
  EXPECT_EQ(all_matches(shown.out, "^plan: expected " + kPercent + " to ").size(), 1u) << shown.out;
  const auto choice = nlohmann::json::parse(runs({"show", "1", "--json"}).out)
                          .at("result")
                          .at("plan")
                          .at("choices")
                          .at(0);
  const nlohmann::json& trials = choice.at("trials");
  const auto stopped = std::count_if(trials.begin(), trials.end(), [](const nlohmann::json& trial) {
    return !trial.at("complete").get<bool>();
  });
  const std::string learner = choice.at("recipe").at("learner");
  const auto learners =
      all_matches(shown.out,
                  fmt::format("^1 to 2 +{0} \\[{0}, {0}\\] +{0} +{1} +{2} +[0-9]+ +([^ ,]+), lr ",
                              kPercent, trials.size(), stopped),
                  /*group=*/1);
  EXPECT_THAT(learners, ::testing::ElementsAre(learner)) << shown.out;
  EXPECT_EQ(all_matches(shown.out, "^accuracy % +candidate +chosen").size(), 1u) << shown.out;
  EXPECT_EQ(all_matches(shown.out, " yes *$").size(), 1u) << "one was chosen:\n" << shown.out;
}

TEST_F(PlannedRuns, AreListedAndFoundAsPlans) {
  ASSERT_EQ(run({"--plan"}).exit_code, 0);
  ASSERT_EQ(run({"--plan", "lr,policy"}).exit_code, 0);
  ASSERT_EQ(run({"--epochs", "1"}).exit_code, 0);
  const auto listed = [&](const std::vector<std::string>& filter) {
    std::vector<std::string> words = {"list"};
    words.insert(words.end(), filter.begin(), filter.end());
    const Outcome outcome = runs(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return lines_of(outcome.out).size() - 1;
  };
  EXPECT_EQ(listed({}), 3u);
  EXPECT_EQ(listed({"--learner", "plan"}), 1u);
  EXPECT_EQ(listed({"--policy", "plan"}), 2u);
  EXPECT_EQ(listed({"--policy", "reservoir"}), 1u) << "a policy that was planned is not this one";
  EXPECT_EQ(listed({"--learner", "er"}), 2u);
  EXPECT_THAT(runs({"list"}).out, HasSubstr("plan:lr+policy"));
}

TEST_F(PlannedRuns, StandBesideOthersInOneTable) {
  ASSERT_EQ(run({"--plan"}).exit_code, 0);
  ASSERT_EQ(run({"--epochs", "1"}).exit_code, 0);
  const Outcome compared = runs({"compare", "--baseline", "reservoir"});
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_EQ(all_matches(compared.out, "^p-mnist, ").size(), 1u) << compared.out;
  EXPECT_THAT(compared.out, HasSubstr("p-mnist, 2 tasks, memory 20, epochs 1, hidden 16"));
  EXPECT_THAT(compared.out, HasSubstr("vs er reservoir"));
  EXPECT_EQ(all_matches(compared.out, "^plan +1 ").size(), 1u) << compared.out;
  EXPECT_EQ(all_matches(compared.out, "^er reservoir +1 ").size(), 1u) << compared.out;
}

TEST_F(PlannedRuns, AreRepeatedByTheCommandThatIsShown) {
  const std::vector<std::vector<std::string>> plans = {
      {"--plan"},
      {"--plan", "lr"},
      {"--plan", "--policy", "mixed:0.5", "--lr", "0.05"},
      {"--plan", "--epochs", "1", "--plan-budget", "20"},
      {"--plan", "learner,policy", "--batch", "20"},
  };
  for (std::size_t k = 0; k < plans.size(); ++k) {
    ASSERT_EQ(run(plans[k]).exit_code, 0) << join(plans[k], " ");
    const Outcome shown = runs({"show", std::to_string(k + 1)});
    ASSERT_EQ(shown.exit_code, 0) << shown.err;
    const auto commands = all_matches(shown.out, "to repeat it: gpscl (.*)", /*group=*/1);
    ASSERT_EQ(commands.size(), 1u) << shown.out;
    std::vector<std::string> again = split(commands[0], ' ');
    again.insert(again.end(), {"--data", path("data").string(), "--out", path("again").string()});
    const Outcome repeated = gpscl(again);
    ASSERT_EQ(repeated.exit_code, 0) << commands[0] << "\n" << repeated.err;
  }
  const auto first = files_in("out");
  const auto second = files_in("again");
  ASSERT_EQ(second.size(), plans.size());
  for (const auto& [name, result] : second) {
    ASSERT_TRUE(first.contains(name)) << name << " is another spec";
    EXPECT_EQ(without_times(nlohmann::json::array({result})),
              without_times(nlohmann::json::array({first.at(name)})));
  }
}

}  // namespace planned_runs_test
}  // namespace gps
