// Ctrl-C: whatever was finished is kept.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>

#include "apps/program.h"
#include "apps/tiny_program_run.h"

namespace gps {
namespace interrupt_test {

using ::testing::HasSubstr;
using testing::lines_of;
using testing::Outcome;
using testing::Program;

class Interrupt : public testing::TinyProgramRun {
 protected:
  // Runs `all` until as many stop points have passed as `runs` runs of two tasks have, then sends a
  // signal. Stop points are counted over all workers: two work, unless `all` says how many.
  Outcome interrupted(std::vector<std::string> all, std::uint64_t runs,
                      int signal_number = SIGINT) const {
    const std::uint64_t points =
        runs * testing::stop_points_of(arguments({"--jobs", "1"}, "counted"));
    if (std::find(all.begin(), all.end(), "--jobs") == all.end())
      all.insert(all.end(), {"--jobs", "2"});
    Program program(all, {.halt = "pause@" + std::to_string(points)});
    EXPECT_TRUE(program.wait_until_paused());
    program.continue_with(signal_number);
    return program.finish();
  }
};

TEST_F(Interrupt, KeepsTheRunsThatWereFinishedAndSaysHowMany) {
  for (const std::string jobs : {"1", "2"}) {
    // With two at a time, the points of five runs are at least three whole runs.
    const Outcome outcome =
        interrupted(arguments({"--seeds", "20", "--jobs", jobs}, "jobs" + jobs), /*runs=*/5);
    EXPECT_EQ(outcome.exit_code, 130);
    const auto kept = files_in("jobs" + jobs);  // parses each; knows no other file than .json
    EXPECT_GE(kept.size(), 3u);
    EXPECT_LT(kept.size(), 20u);
    for (const auto& [name, result] : kept) EXPECT_EQ(result.at("schema"), 1) << name;
    EXPECT_THAT(lines_of(outcome.err).back(),
                HasSubstr(std::to_string(kept.size()) + " of 20 runs"));
    EXPECT_THAT(outcome.out, HasSubstr("\nreservoir ")) << "the table of what there is";
  }
}

TEST_F(Interrupt, PrintsTheFinishedRunsAsJson) {
  const Outcome outcome = interrupted(arguments({"--seeds", "20", "--json"}), /*runs=*/5);
  EXPECT_EQ(outcome.exit_code, 130);
  const auto kept = files_in("out");
  EXPECT_GE(kept.size(), 3u);
  EXPECT_EQ(nlohmann::json::parse(outcome.out).size(), kept.size());
}

TEST_F(Interrupt, InTheMiddleOfTheOnlyRunLeavesNothingHalfDone) {
  const Outcome outcome = interrupted(arguments({"--tasks", "30", "--json"}), /*runs=*/5);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("task 1/30 learnt"));
  EXPECT_EQ(nlohmann::json::parse(outcome.out), nlohmann::json::array());
  EXPECT_TRUE(files_in("out").empty());
  EXPECT_THAT(outcome.err, HasSubstr("0 of 1 run finished"));
}

TEST_F(Interrupt, InTheMiddleOfASimulationEndsIt) {
  // The first policy's line tells that signals are caught by now; the second simulates 40 million
  // steps a candidate.
  Program program(
      arguments({"--policy", "reservoir,gps", "--sim-epochs", "1000000", "--jobs", "2"}));
  ASSERT_TRUE(program.wait_for("reservoir seed 0: accuracy", 1));
  program.send(SIGINT);
  const Outcome outcome = program.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(files_in("out").size(), 1u);
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 runs"));
}

TEST_F(Interrupt, ARequestToTerminateKeepsTheFinishedRunsToo) {
  const Outcome outcome = interrupted(arguments({"--seeds", "20"}), /*runs=*/3, SIGTERM);
  EXPECT_EQ(outcome.exit_code, 143);
  EXPECT_GE(files_in("out").size(), 1u);
}

}  // namespace interrupt_test
}  // namespace gps
