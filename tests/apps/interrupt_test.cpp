// Ctrl-C: an end within moments, and whatever was finished is kept.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>

#include "apps/program.h"
#include "apps/tiny_program_run.h"

namespace gps {
namespace {

using ::testing::HasSubstr;
using testing::lines_of;
using testing::Outcome;
using testing::Program;

class Interrupt : public testing::TinyProgramRun {
 protected:
  // Asks the program to end and waits for it. The bound is a hang guard for slow machines.
  static Outcome end(Program& program, int signal_number = SIGINT) {
    const auto start = std::chrono::steady_clock::now();
    program.send(signal_number);
    Outcome outcome = program.finish();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    return outcome;
  }
};

TEST_F(Interrupt, KeepsTheRunsThatWereFinishedAndSaysHowMany) {
  for (const std::string jobs : {"1", "2"}) {
    Program program(arguments({"--seeds", "100000", "--jobs", jobs}, "jobs" + jobs));
    ASSERT_TRUE(program.wait_for("kept in", 3));
    const Outcome outcome = end(program);
    EXPECT_EQ(outcome.exit_code, 130);
    const auto kept = files_in("jobs" + jobs);  // parses each; knows no other file than .json
    EXPECT_GE(kept.size(), 3u);
    for (const auto& [name, result] : kept) EXPECT_EQ(result.at("schema"), 1) << name;
    EXPECT_THAT(lines_of(outcome.err).back(),
                HasSubstr(std::to_string(kept.size()) + " of 100000 runs"));
    EXPECT_THAT(outcome.out, HasSubstr("\nreservoir ")) << "the table of what there is";
  }
}

TEST_F(Interrupt, PrintsTheFinishedRunsAsJson) {
  Program program(arguments({"--seeds", "100000", "--json"}));
  ASSERT_TRUE(program.wait_for("kept in", 2));
  const Outcome outcome = end(program);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(nlohmann::json::parse(outcome.out).size(), files_in("out").size());
}

TEST_F(Interrupt, InTheMiddleOfTheOnlyRunLeavesNothingHalfDone) {
  Program program(arguments({"--tasks", "300", "--json"}));
  ASSERT_TRUE(program.wait_for("task 1/300 learnt", 1));
  const Outcome outcome = end(program);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(nlohmann::json::parse(outcome.out), nlohmann::json::array());
  EXPECT_TRUE(files_in("out").empty());
  EXPECT_THAT(outcome.err, HasSubstr("0 of 1 runs"));
}

TEST_F(Interrupt, InTheMiddleOfASimulationEndsIt) {
  // The first policy's line tells that signals are caught by now; the second is simulating for
  // days.
  Program program(
      arguments({"--policy", "reservoir,gps", "--sim-epochs", "1000000", "--jobs", "2"}));
  ASSERT_TRUE(program.wait_for("reservoir seed 0: accuracy", 1));
  const Outcome outcome = end(program);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(files_in("out").size(), 1u);
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 runs"));
}

TEST_F(Interrupt, ARequestToTerminateKeepsTheFinishedRunsToo) {
  Program program(arguments({"--seeds", "100000"}));
  ASSERT_TRUE(program.wait_for("kept in", 1));
  const Outcome outcome = end(program, SIGTERM);
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.exit_code, -1) << "ended by the signal itself";
  EXPECT_GE(files_in("out").size(), 1u);
}

}  // namespace
}  // namespace gps
