// What bash offers after gpscl, by its own machinery: the script is sourced, and its function
// called with a line as readline would.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "apps/known_options.h"
#include "apps/program.h"
#include "gps/experiments/spec/spec_options.h"
#include "gps/policies/catalog.h"
#include "support/temporary_folder.h"

namespace gps {
namespace completion_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::gpscl;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::lines_of;
using ::testing::Not;
using testing::options_in;
using testing::Outcome;
using ::testing::UnorderedElementsAreArray;

class BashCompletion : public ::testing::Test {
 protected:
  BashCompletion() {
    std::ofstream(folder_.path() / "completion") << gpscl({"completion", "bash"}).out;
    std::ofstream(folder_.path() / "list.toml");
    std::filesystem::create_directory(folder_.path() / "states");
    std::ofstream(folder_.path() / "offer") << R"bash(
cd "$(dirname "$0")" && source ./completion
COMP_LINE=$1
COMP_POINT=${#1}
_gpscl
printf '%s\n' "${COMPREPLY[@]}"
)bash";
  }

  // What is offered for the last word of this line.
  std::vector<std::string> offers(const std::string& line) {
    const std::string call =
        "bash '" + (folder_.path() / "offer").string() + "' '" + line + "' 2>&1";
    std::string out;
    FILE* pipe = popen(call.c_str(), "r");
    std::array<char, 4096> buffer{};
    while (fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr)
      out += buffer.data();
    EXPECT_EQ(pclose(pipe), 0) << out;
    std::vector<std::string> found = lines_of(out);
    std::erase(found, "");
    return found;
  }

  testing::TemporaryFolder folder_;
};

// "…; known: a, b, c" or "… must be one of a, b, c, got 'd'" of a refusal.
std::vector<std::string> known_in(const Outcome& refused) {
  std::string list;
  for (const std::string start : {"known: ", "must be one of "}) {
    const std::size_t at = refused.err.find(start);
    if (at != std::string::npos) list = refused.err.substr(at + start.size());
  }
  EXPECT_NE(list, "") << refused.err;
  list = list.substr(0, std::min(list.find_first_of(";\n"), list.find(", got ")));
  std::vector<std::string> names = split(list, ',');
  for (std::string& name : names) name = name.substr(name.find_first_not_of(' '));
  return names;
}

TEST_F(BashCompletion, OffersTheCommands) {
  EXPECT_THAT(offers("gpscl "), UnorderedElementsAreArray(known_in(gpscl({"nonsense"}))));
  EXPECT_THAT(offers("gpscl rep"), UnorderedElementsAreArray({"reproduce", "report"}));
}

TEST_F(BashCompletion, OffersEveryOptionThatTheHelpOfACommandHas) {
  for (const std::string& command : offers("gpscl ")) {
    if (command == "probe") continue;  // which explains the options of its kinds
    const bool has_more = command == "run" || command == "learn";
    const auto offered = offers("gpscl " + command + " --");
    for (const std::string& option :
         options_in(gpscl({command, has_more ? "--help-all" : "--help"}).out)) {
      if (std::find(offered.begin(), offered.end(), option) != offered.end()) continue;
      // The help of a command may mention options of another one, which it refuses.
      EXPECT_THAT(gpscl({command, option, "x", "--help"}).err, HasSubstr("unknown option"))
          << command << " takes " << option << " and does not offer it";
    }
  }
  EXPECT_THAT(offers("gpscl probe ring-size p-mnist --mea"), ElementsAre("--measure"));
}

TEST_F(BashCompletion, OffersNoOptionOfRunsThatPlanOrProbeRefuses) {
  for (const char* start : {"plan p-mnist", "probe time p-mnist", "probe ring-size p-mnist"}) {
    const std::string line = start;
    const std::vector<std::string> offered = offers("gpscl " + line + " --");
    for (const std::string& option : testing::options_in_help()) {
      std::vector<std::string> call = split(line, ' ');
      call.push_back(option);
      const bool is_flag =
          gpscl(call, {.folder = folder_.path()}).err.find("needs a value") == std::string::npos;
      if (!is_flag) call.emplace_back("1");
      const std::string err = gpscl(call, {.folder = folder_.path()}).err;
      const std::string refusal = "does not take " + option;
      const bool is_refused = err.find(refusal + ":") != std::string::npos ||
                              err.find(refusal + "\n") != std::string::npos;
      EXPECT_NE(is_refused, std::find(offered.begin(), offered.end(), option) != offered.end())
          << call.front() << " " << option;
    }
  }
  EXPECT_THAT(offers("gpscl probe time p-mnist --poin"), IsEmpty());
  EXPECT_THAT(offers("gpscl probe ring-size p-mnist --poin"), ElementsAre("--points"));
}

TEST_F(BashCompletion, OffersWhatLearnTakes) {
  EXPECT_THAT(offers("gpscl learn state week1 --alp"), ElementsAre("--alpha"));
  EXPECT_THAT(offers("gpscl learn state week1 --learner "),
              UnorderedElementsAreArray({"er", "der", "der++", "agem", "gss", "icarl", "sgd"}));
  EXPECT_THAT(offers("gpscl learn state week1 --colour "),
              UnorderedElementsAreArray({"auto", "grey", "rgb"}));
  EXPECT_THAT(offers("gpscl learn state week1 --policy "),
              ::testing::AllOf(Contains("gps"), Contains("gps:rotation"), Not(Contains("cur-res")),
                               Not(Contains("gps:offline"))));
}

TEST_F(BashCompletion, OffersTheNamesOfTheCatalogs) {
  EXPECT_THAT(offers("gpscl run p-mnist --learner "),
              UnorderedElementsAreArray(names(learner_catalog())));
  EXPECT_THAT(offers("gpscl run p-mnist --policy "), IsSupersetOf(names(policy_catalog())));
  EXPECT_THAT(offers("gpscl run --jobs 2 "), IsSupersetOf(names(benchmark_catalog())));
  EXPECT_THAT(offers("gpscl probe time s-"), IsSupersetOf({"s-mnist", "s-cifar-10"}));
  EXPECT_THAT(offers("gpscl run p-mnist --model "), IsSupersetOf(names(model_catalog())));
  for (const SpecOption& option : spec_options()) {
    if (option.row.kind != OptionKind::name || option.row.flag == "init") continue;
    EXPECT_THAT(offers("gpscl run p-mnist --" + option.row.flag + " "),
                UnorderedElementsAreArray(option.row.names))
        << option.row.flag;
  }
}

TEST_F(BashCompletion, OffersPoliciesAndVariantsThatAre) {
  for (const std::string& policy : offers("gpscl runs list --policy ")) {
    PolicyOptions options;
    EXPECT_NO_THROW(set_policy(options, policy)) << policy;
  }
}

TEST_F(BashCompletion, KnowsWhatTheProgramWouldTakeWhereNoCatalogSays) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> calls = {
      {"gpscl runs ", {"runs", "nonsense"}},
      {"gpscl data ", {"data", "nonsense"}},
      {"gpscl data get ", {"data", "get", "nonsense"}},
      {"gpscl list ", {"list", "nonsense"}},
      {"gpscl probe ", {"probe", "nonsense"}},
      {"gpscl runs compare --format ", {"runs", "compare", "--format", "nonsense"}},
      {"gpscl report --format ", {"report", "--format", "nonsense"}},
      {"gpscl reproduce table1 --scale ", {"reproduce", "table1", "--scale", "nonsense"}},
      {"gpscl reproduce --format ", {"reproduce", "--format", "nonsense"}},
      {"gpscl probe time p-mnist --format ", {"probe", "time", "p-mnist", "--format", "nonsense"}},
      {"gpscl export state --format ", {"export", "state"}},
  };
  for (const auto& [line, call] : calls) {
    EXPECT_THAT(offers(line),
                UnorderedElementsAreArray(known_in(gpscl(call, {.folder = folder_.path()}))))
        << line;
  }
  EXPECT_THAT(offers("gpscl runs list --status "), Contains("interrupted"));
}

TEST_F(BashCompletion, GoesOnAfterACommaAColonAndAnEqualsSign) {
  EXPECT_THAT(offers("gpscl run p-mnist --learner er,der+"), ElementsAre("er,der++"));
  EXPECT_THAT(offers("gpscl run p-mnist --policy=ring-f"), Contains("ring-full"));
  // Behind the colon only what readline replaces.
  EXPECT_THAT(offers("gpscl run p-mnist --policy gps:off"), ElementsAre("offline"));
  EXPECT_THAT(offers("gpscl run p-mnist --policy reservoir,gps:off"), ElementsAre("offline"));
}

TEST_F(BashCompletion, OffersFilesAndFoldersWhereTheyAreMeant) {
  EXPECT_THAT(offers("gpscl sweep l"), ElementsAre("list.toml"));
  EXPECT_THAT(offers("gpscl run p-mnist --out "), ElementsAre("states"));
  EXPECT_THAT(offers("gpscl learn sta"), ElementsAre("states"));
  EXPECT_THAT(offers("gpscl run p-mnist --store li"), ElementsAre("list.toml"));
  EXPECT_THAT(offers("gpscl run p-mnist --epochs "), IsEmpty()) << "a number";
}

TEST(Completion, ExplainsEveryOptionOfEveryCommand) {
  std::size_t options = 0;
  for (const std::string& line : lines_of(gpscl({"completion", "fish"}).out)) {
    if (line.find(" -l ") == std::string::npos) continue;
    ++options;
    EXPECT_THAT(line, Not(::testing::EndsWith(" -d ''")));
  }
  EXPECT_GT(options, 150u);
}

// The help lists the learners here, which shells offer anyway.
TEST(Completion, ExplainsOptionsByTheirTablesAndNotByTheHelp) {
  std::size_t learners = 0;
  std::size_t alphas = 0;
  for (const std::string& line : lines_of(gpscl({"completion", "fish"}).out)) {
    if (line.find(" -l learner ") != std::string::npos &&
        line.find("__fish_seen_subcommand_from run'") != std::string::npos) {
      ++learners;
      EXPECT_THAT(line, HasSubstr("how a training step changes the network"));
    }
    if (line.find(" -l alpha ") != std::string::npos) {
      ++alphas;
      EXPECT_THAT(line, HasSubstr("der, der++: ")) << "who uses it";
    }
  }
  EXPECT_GE(learners, 1u);
  EXPECT_GE(alphas, 2u) << "in run and in learn";
}

TEST(Completion, IsRefusedForShellsThatItDoesNotKnow) {
  const Outcome outcome = gpscl({"completion", "csh"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'csh'; known: bash, zsh, fish, man"));
}

}  // namespace completion_test
}  // namespace gps
