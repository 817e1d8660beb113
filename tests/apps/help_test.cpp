#include <gmock/gmock.h>

#include "apps/known_options.h"
#include "apps/program.h"
#include "gps/core/version.h"
#include "gps/experiments/spec/spec_options.h"
#include "support/temporary_folder.h"

namespace gps {
namespace help_test {

using testing::columns_of;
using ::testing::Contains;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::options_in;
using testing::options_in_help;
using testing::Outcome;
using ::testing::StartsWith;

// The commands as the main help lists them.
std::vector<std::string> commands() {
  std::vector<std::string> found;
  bool is_list = false;
  for (const std::string& line : lines_of(gpscl({"--help"}).out)) {
    if (is_list && line.empty()) break;
    if (is_list) found.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Commands:") is_list = true;
  }
  return found;
}

// The options of a run, by the tables that the command line is made from.
std::set<std::string> options_of_a_run() {
  std::set<std::string> flags;
  for (const SpecOption& option : spec_options()) {
    if (!option.row.flag.empty()) flags.insert("--" + option.row.flag);
  }
  for (const Option& option : own_stream_options().rows()) flags.insert("--" + option.flag);
  return flags;
}

void expect_to_fit_a_screen(const std::string& help) {
  EXPECT_LE(lines_of(help).size(), 40u) << help;
  for (const std::string& line : lines_of(help)) EXPECT_LE(columns_of(line), 100u) << line;
}

// `gpscl run` has an --evaluate, too, with a default.
TEST(Help, OfLearnHasNoDefaultsOfOtherCommands) {
  const std::string help = gpscl({"learn", "--help-all"}).out;
  EXPECT_THAT(help, HasSubstr("--evaluate DATA"));
  EXPECT_THAT(help, Not(HasSubstr("every-task")));
}

TEST(Help, ListsTheCommands) {
  EXPECT_THAT(commands(), Contains("run"));
  EXPECT_THAT(commands(), Contains("list"));
}

TEST(Help, OfTheProgramAndOfEveryCommandFitsAScreenAndGivesAnExample) {
  std::vector<std::vector<std::string>> calls = {{"--help"}, {"-h"}};
  for (const std::string& command : commands()) {
    calls.push_back({command, "--help"});
    calls.push_back({command, "-h"});
  }
  for (const auto& call : calls) {
    const Outcome outcome = gpscl(call);
    EXPECT_EQ(outcome.exit_code, 0) << join(call, " ");
    EXPECT_EQ(outcome.err, "") << join(call, " ");
    EXPECT_THAT(outcome.out, HasSubstr("Usage: gpscl"));
    EXPECT_THAT(outcome.out, HasSubstr("Example"));
    expect_to_fit_a_screen(outcome.out);
  }
}

TEST(Help, IsGivenWithoutABenchmarkOrBesideOtherOptions) {
  const std::string expected = gpscl({"run", "--help"}).out;
  EXPECT_EQ(gpscl({"run", "p-mnist", "--memory", "5", "--help"}).out, expected);
}

TEST(Help, OfRunMentionsEveryOption) {
  ASSERT_GE(options_of_a_run().size(), 30u);
  const std::set<std::string> mentioned = options_in_help();
  for (const std::string& option : options_of_a_run()) EXPECT_THAT(mentioned, Contains(option));
}

// "--word" that is no option is refused by its name; an option by what it lacks.
TEST(Help, OfRunMentionsNoOptionThatThereIsNot) {
  const testing::TemporaryFolder folder;  // where `--out --help` makes a folder of that name
  for (const std::string& option : options_in_help()) {
    const Outcome outcome = gpscl({"run", "p-mnist", option, "--help"}, {.folder = folder.path()});
    EXPECT_THAT(outcome.err, Not(HasSubstr("unknown option"))) << option;
  }
}

TEST(Help, OfAllOptionsContainsTheShortOneAndIsNoWider) {
  const std::string all = gpscl({"run", "--help-all"}).out;
  EXPECT_THAT(all, StartsWith(gpscl({"run", "--help"}).out));
  for (const std::string& line : lines_of(all)) EXPECT_LE(columns_of(line), 100u) << line;
}

TEST(Help, OfLearnHasTheOptionsOfItsMethodAndNoOthers) {
  const std::string all = gpscl({"learn", "--help-all"}).out;
  EXPECT_THAT(all, StartsWith(gpscl({"learn", "--help"}).out));
  for (const std::string& line : lines_of(all)) EXPECT_LE(columns_of(line), 100u) << line;
  for (const char* option :
       {"--alpha", "--beta", "--ring", "--sim-epochs", "--width", "--evaluate"})
    EXPECT_THAT(options_in(all), Contains(option));
  for (const std::string& option : options_in(all)) {
    const Outcome outcome = gpscl({"learn", option, "--help"});
    EXPECT_THAT(outcome.err, Not(HasSubstr("unknown option"))) << option;
  }
  EXPECT_THAT(all, HasSubstr("images stored in all, or bytes: 784kB, 20MB (500)"));
  EXPECT_THAT(all, Not(HasSubstr("s-cifar"))) << "defaults of benchmarks";
  EXPECT_THAT(all, Not(HasSubstr("offline"))) << "which learn refuses";
  EXPECT_THAT(all, Not(HasSubstr("--ring-quota"))) << "which has one possible value here";
}

TEST(Help, OfEveryCommandExplainsTheSameOptionInTheSameWords) {
  for (const char* command : {"run", "sweep", "reproduce"})
    EXPECT_THAT(gpscl({command, "--help"}).out, HasSubstr("folder for results, one JSON file per"));
}

TEST(Help, AsACommandIsTheSameAsTheOption) {
  EXPECT_EQ(gpscl({"help"}).out, gpscl({"--help"}).out);
  EXPECT_EQ(gpscl({"help"}).exit_code, 0);
  for (const std::string& command : commands()) {
    const Outcome outcome = gpscl({"help", command});
    EXPECT_EQ(outcome.exit_code, 0) << command;
    EXPECT_EQ(outcome.out, gpscl({command, "--help"}).out);
  }
}

TEST(Help, IsWhatAProgramWithoutACommandPrintsAsAnError) {
  const Outcome outcome = gpscl({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, gpscl({"--help"}).out);
}

TEST(Version, IsTheProjects) {
  const Outcome outcome = gpscl({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, std::string("gpscl ") + kVersion + "\n");
}

}  // namespace help_test
}  // namespace gps
