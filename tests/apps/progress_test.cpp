#include <gmock/gmock.h>

#include "apps/program.h"
#include "apps/tiny_program_run.h"

namespace gps {
namespace progress_test {

using testing::columns_of;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::Outcome;
using testing::ProgramOptions;

class Progress : public testing::TinyProgramRun {};

TEST_F(Progress, IsPlainLinesOnStandardErrorWherePiped) {
  const Outcome outcome = gpscl(arguments({"--jobs", "1"}));
  ASSERT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, Not(HasSubstr("\033")));
  EXPECT_THAT(outcome.err, Not(HasSubstr("\r")));
  auto lines = lines_of(outcome.err);
  // A machine that takes seconds for this has lines about how far the run is.
  std::erase_if(
      lines, [](const std::string& line) { return line.find(" % of all") != std::string::npos; });
  ASSERT_EQ(lines.size(), 3u) << outcome.err;
  EXPECT_THAT(lines[0], MatchesRegex("reservoir seed 0: task 1/2 learnt, accuracy .* %.*"));
  EXPECT_THAT(lines[1], MatchesRegex("reservoir seed 0: task 2/2 learnt, accuracy .* %.*"));
  EXPECT_THAT(lines[2], MatchesRegex("reservoir seed 0: accuracy .* %, kept in .*\\.json"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("learnt")));
}

TEST_F(Progress, IsALiveLineOnATerminalThatIsGoneInTheEnd) {
  const Outcome outcome = gpscl(arguments({}), {.err_is_terminal = true});
  ASSERT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("░"));
  EXPECT_THAT(outcome.err, HasSubstr("task 1/2"));
  EXPECT_THAT(outcome.err, HasSubstr("kept in"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("learnt"))) << "lines of the piped form";
  EXPECT_TRUE(outcome.err.ends_with("\r\033[K")) << "the live line is left behind";
}

TEST_F(Progress, KeepsTheLiveLineToTheTerminalsWidth) {
  // Where a line wraps, clearing it takes away its last row only.
  const Outcome outcome = gpscl(arguments({}), {.err_is_terminal = true});
  const std::string clear = "\r\033[K";
  std::size_t at = outcome.err.find(clear);
  ASSERT_NE(at, std::string::npos);
  while (at != std::string::npos) {
    const std::size_t start = at + clear.size();
    at = outcome.err.find(clear, start);
    const std::string line = outcome.err.substr(start, at - start);
    if (line.find('\n') == std::string::npos) {
      EXPECT_LE(columns_of(line), 80u) << line;
    }
  }
}

TEST_F(Progress, DoesNotChangeTheResults) {
  const Outcome piped = gpscl(arguments({"--policy", "gps", "--json"}));
  const Outcome shown = gpscl(arguments({"--policy", "gps", "--json"}), {.err_is_terminal = true});
  EXPECT_EQ(without_times(nlohmann::json::parse(piped.out)),
            without_times(nlohmann::json::parse(shown.out)));
}

}  // namespace progress_test
}  // namespace gps
