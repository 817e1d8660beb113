#include <gmock/gmock.h>

#include "apps/known_options.h"
#include "apps/program.h"
#include "gps/core/version.h"

namespace gps {
namespace {

using testing::all_matches;
using testing::columns_of;
using ::testing::Contains;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using testing::options_in;
using testing::options_in_help;
using testing::Outcome;
using ::testing::StartsWith;
using testing::text_of;

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

// What the sources register as options of `gpscl run`.
std::set<std::string> registered_options() {
  const std::string source =
      text_of(std::filesystem::path(GPSCL_SOURCE_DIR) / "apps/gpscl/run_options.cpp");
  const std::string registration = R"re((text|whole|real|add_flag)\("(-[a-z],)?(--[a-z-]+)")re";
  const std::vector<std::string> found = all_matches(source, registration, /*group=*/3);
  return {found.begin(), found.end()};
}

void expect_to_fit_a_screen(const std::string& help) {
  EXPECT_LE(lines_of(help).size(), 40u) << help;
  for (const std::string& line : lines_of(help)) EXPECT_LE(columns_of(line), 100u) << line;
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

TEST(Help, OfRunMentionsEveryRegisteredOption) {
  const std::set<std::string> registered = registered_options();
  ASSERT_GE(registered.size(), 30u) << "the registrations are not found in the source any more";
  std::set<std::string> mentioned = options_in_help();
  mentioned.insert("--help");  // which is what got here
  for (const std::string& option : registered) EXPECT_THAT(mentioned, Contains(option));
}

TEST(Help, OfRunMentionsNoOptionThatIsNotRegistered) {
  const std::set<std::string> registered = registered_options();
  for (const std::string& option : options_in_help()) EXPECT_THAT(registered, Contains(option));
}

TEST(Help, OfAllOptionsContainsTheShortOneAndIsNoWider) {
  const std::string all = gpscl({"run", "--help-all"}).out;
  EXPECT_THAT(all, StartsWith(gpscl({"run", "--help"}).out));
  for (const std::string& line : lines_of(all)) EXPECT_LE(columns_of(line), 100u) << line;
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

}  // namespace
}  // namespace gps
