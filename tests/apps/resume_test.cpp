// Going on after an interruption, and what ends a run early: each in one clear line, and no
// finished run is lost.
#include <gmock/gmock.h>

#include <csignal>

#include "apps/program.h"
#include "apps/tiny_program_run.h"
#include "support/name_space.h"

namespace gps {
namespace resume_test {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;
using testing::Program;

class ResumeCommand : public testing::TinyProgramRun {
 protected:
  std::vector<std::filesystem::path> checkpoints_in(const std::string& out) const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(path(out))) {
      if (entry.path().extension() == ".ckpt") found.push_back(entry.path());
    }
    return found;
  }
  nlohmann::json results_in(const std::string& out) const {
    return without_times(nlohmann::json(files_in(out)));
  }
  // Arguments of a run of twenty tasks by one worker.
  std::vector<std::string> twenty(std::vector<std::string> added,
                                  const std::string& out = "out") const {
    added.insert(added.end(), {"--tasks", "20", "--jobs", "1"});
    return arguments(added, out);
  }
  // Stops it in the middle of its only run, of twenty tasks: where so many stop points have passed
  // as five tasks have steps.
  Outcome interrupted(const std::vector<std::string>& all, int signal_number = SIGINT) const {
    Program program(all, {.halt = "pause@200"});
    EXPECT_TRUE(program.wait_until_paused());
    program.continue_with(signal_number);
    return program.finish();
  }
};

TEST_F(ResumeCommand, GoesOnWithTheCommandThatTheInterruptionNames) {
  const auto run = twenty({"--policy", "hybrid"});
  ASSERT_EQ(testing::gpscl(twenty({"--policy", "hybrid"}, "whole")).exit_code, 0);
  for (const auto& [number, code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    const Outcome stopped = interrupted(run, number);
    EXPECT_EQ(stopped.exit_code, code);
    EXPECT_EQ(checkpoints_in("out").size(), 1u);
    const std::string last = lines_of(stopped.err).back();
    EXPECT_THAT(last, AllOf(HasSubstr("0 of 1 run finished"), HasSubstr("continue with: ")));
    const std::string command = last.substr(last.find("continue with: ") + 15);
    EXPECT_EQ(command, std::string(GPSCL_PROGRAM) + " " + join(run, " ") + " --resume");
    std::vector<std::string> words = split(command, ' ');
    words.erase(words.begin());
    const Outcome resumed = testing::gpscl(words);
    EXPECT_EQ(resumed.exit_code, 0);
    EXPECT_THAT(resumed.err, HasSubstr("hybrid seed 0: continues in task "));
    EXPECT_EQ(results_in("out"), results_in("whole"));
    EXPECT_TRUE(checkpoints_in("out").empty());
    std::filesystem::remove_all(path("out"));
  }
}

TEST_F(ResumeCommand, SkipsFinishedRunsAndShowsThemAllTheSame) {
  const std::vector<std::string> runs = {"--policy", "reservoir,gps", "--seeds", "2", "--picture"};
  const Outcome first = testing::gpscl(arguments(runs));
  auto again = runs;
  again.emplace_back("--resume");
  const auto names = files_in("out");
  std::filesystem::remove(path("out") / names.begin()->first);  // this one is run again
  const Outcome second = testing::gpscl(arguments(again));
  EXPECT_EQ(second.exit_code, 0);
  std::size_t skipped = 0;
  for (const std::string& line : lines_of(second.err)) {
    if (line.find(": finished before: accuracy") != std::string::npos) ++skipped;
  }
  EXPECT_EQ(skipped, 3u);
  EXPECT_EQ(results_in("out"), without_times(nlohmann::json(names)));
  // All of the table but the times, and the pictures.
  const auto without_last_column = [](const std::string& text) {
    std::string kept;
    for (std::string line : lines_of(text))
      kept += line.substr(0, line.find_last_not_of("0123456789. s") + 1) + "\n";
    return kept;
  };
  EXPECT_EQ(without_last_column(second.out), without_last_column(first.out));
}

TEST_F(ResumeCommand, RunsAgainWhatCannotBeReadAndSaysSo) {
  ASSERT_EQ(testing::gpscl(arguments({})).exit_code, 0);
  const auto before = files_in("out");
  const std::filesystem::path file = path("out") / before.begin()->first;
  nlohmann::json changed = before.begin()->second;
  changed["steps"] = 7;
  for (const auto& [text, reason] :
       {std::pair<std::string, std::string>("{\"schema\": 1", "it is not JSON"),
        {changed.dump(1), "damaged: its checksum does not match"}}) {
    std::ofstream(file) << text;
    const Outcome outcome = testing::gpscl(arguments({"--resume"}));
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(reason), HasSubstr("running it again")));
    EXPECT_EQ(results_in("out"), without_times(nlohmann::json(before)));
  }
}

TEST_F(ResumeCommand, ADamagedCheckpointGivesWayToTheOneBefore) {
  interrupted(twenty({"--checkpoint-every", "50steps"}));
  const auto file = checkpoints_in("out").at(0);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  const Outcome outcome = testing::gpscl(twenty({"--resume"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("is damaged: "), HasSubstr("; trying the previous one"),
                                 HasSubstr("continues in task")));
  ASSERT_EQ(testing::gpscl(twenty({}, "whole")).exit_code, 0);
  EXPECT_EQ(results_in("out"), results_in("whole"));
}

TEST_F(ResumeCommand, DoesNotOverwriteInterruptedRunsUnlessAsked) {
  const auto run = twenty({});
  interrupted(run);
  const Outcome refused = testing::gpscl(run);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(lines_of(refused.err).size(), 1u);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr(".ckpt"), HasSubstr("--resume"), HasSubstr("--restart")));
  const Outcome anew = testing::gpscl(twenty({"--restart"}));
  EXPECT_EQ(anew.exit_code, 0);
  EXPECT_THAT(anew.err, Not(HasSubstr("continues in task")));
  EXPECT_TRUE(checkpoints_in("out").empty());
}

TEST_F(ResumeCommand, KeepsNoCheckpointsIfToldSo) {
  interrupted(twenty({"--checkpoint-every", "off"}));
  EXPECT_TRUE(checkpoints_in("out").empty());
}

TEST_F(ResumeCommand, RefusesImpossibleRequests) {
  const auto refusal = [&](const std::vector<std::string>& added) {
    const Outcome outcome = testing::gpscl(arguments(added));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(lines_of(outcome.err).size(), 1u);
    return outcome.err;
  };
  EXPECT_THAT(refusal({"--resume", "--restart"}), HasSubstr("cannot be used together"));
  EXPECT_THAT(refusal({"--resume", "--checkpoint-every", "off"}),
              HasSubstr("cannot be used together"));
  EXPECT_THAT(refusal({"--checkpoint-every", "often"}), HasSubstr("got 'often'"));
  EXPECT_THAT(refusal({"--checkpoint-every", "-1"}), HasSubstr("at least 0"));
  EXPECT_THAT(refusal({"--checkpoint-every", "0steps"}), HasSubstr("at least 1"));
}

class EndsEarly : public ResumeCommand {};

// Files may have 300,000 bytes: results and the store do, checkpoints of a large network do not.
TEST_F(EndsEarly, ACheckpointThatCannotBeWrittenIsToldOnceAndTheRunGoesOn) {
  const Outcome outcome = testing::gpscl(
      {"run", "p-mnist", "--data", path("data").string(), "--out", path("out").string(), "--epochs",
       "1", "--tasks", "20", "--hidden", "400,400", "--checkpoint-every", "20steps"},
      {.file_size = 300'000});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(lines_of(outcome.err), Contains(AllOf(HasSubstr("reservoir seed 0: no checkpoint: "),
                                                    HasSubstr("File too large")))
                                         .Times(1));
  EXPECT_EQ(files_in("out").size(), 1u);
  EXPECT_TRUE(checkpoints_in("out").empty());
}

// A folder lies where the export should go.
TEST_F(EndsEarly, AnExportThatCannotBeWrittenLosesNoFinishedRun) {
  ASSERT_EQ(testing::gpscl(arguments({}, "whole")).exit_code, 0);
  std::string name = files_in("whole").begin()->first;
  name.resize(name.size() - std::string(".json").size());
  std::filesystem::create_directories(path("out") / (name + ".memory.safetensors") / "x");
  const Outcome outcome = testing::gpscl(arguments({"--export", "memory"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(lines_of(outcome.err).back(), HasSubstr(".memory.safetensors: cannot be written"));
  EXPECT_TRUE(std::filesystem::exists(path("out") / (name + ".json")));
}

// Bytes of a file in whole pages, as a disk in memory counts them.
std::size_t pages_of(const std::filesystem::path& file) {
  constexpr std::size_t kPage = 4096;
  return (std::filesystem::file_size(file) + kPage - 1) / kPage * kPage;
}

TEST_F(EndsEarly, AFullDiskLosesNoFinishedRun) {
  const auto seeds = [&](std::size_t count, const std::string& out) {
    return arguments(
        {"--seeds", std::to_string(count), "--jobs", "1", "--checkpoint-every", "20steps"}, out);
  };
  // The disk has room for twice what lies there when three quarters of a run are done: store and
  // checkpoints, and as much again for what the rest of the run adds. So one run fits, and the
  // results alone of so many runs do not.
  const std::uint64_t points = testing::stop_points_of(seeds(1, "whole"));
  const std::size_t result = pages_of(path("whole") / files_in("whole").begin()->first);
  testing::gpscl(seeds(1, "killed"), {.halt = "kill@" + std::to_string(points * 3 / 4)});
  ASSERT_FALSE(checkpoints_in("killed").empty());
  std::size_t disk = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("killed")))
    disk += 2 * pages_of(entry.path());
  const std::size_t runs = disk / result + 1;

  // What is on the disk is gone with the process that sees it, so a shell copies it at the end.
  std::filesystem::create_directories(path("disk"));
  const Outcome outcome =
      testing::gpscl(seeds(runs, "disk/out"),
                     {.launcher = {"/bin/sh", "-c",
                                   "\"$@\"; code=$?; cp -r '" + path("disk").string() + "/out' '" +
                                       path("kept").string() + "'; exit $code",
                                   "sh"},
                      .prepare = [&] { return testing::mount_small_disk(path("disk"), disk); }});
  if (outcome.exit_code == 126)
    GTEST_SKIP()
        << "not checked: a run on a full disk; to check: run as root, or allow user namespaces";
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(lines_of(outcome.err).back(),
              AnyOf(HasSubstr("No space left on device"), HasSubstr("disk is full")));
  const auto kept = files_in("kept");  // parses each
  EXPECT_GE(kept.size(), 1u);
  EXPECT_LT(kept.size(), runs);
}

TEST_F(EndsEarly, AReadOnlyDiskIsRefusedBeforeAnyWork) {
  std::filesystem::create_directories(path("disk"));
  const Outcome outcome =
      testing::gpscl(arguments({}, "disk"),
                     {.prepare = [&] { return testing::mount_read_only_disk(path("disk")); }});
  if (outcome.exit_code == 126)
    GTEST_SKIP() << "not checked: a run on a read-only disk; to check: run as root, or allow user "
                    "namespaces";
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(lines_of(outcome.err).size(), 1u);
  EXPECT_THAT(outcome.err, HasSubstr("cannot be used"));
}

// The nine million weights take 35 MiB. By `prlimit --as`, sgd is refused memory with 120 MiB and
// has enough with 130: 85 to 95 for the program and its libraries, and the weights. oewc has two
// more numbers a weight, so it needs at least 85 + 3 * 35 = 190 MiB. The limit leaves room on both
// sides.
TEST_F(EndsEarly, OutOfMemoryInOneRunLeavesTheOthers) {
#ifdef GPSCL_SANITIZED
  GTEST_SKIP() << "not checked: running out of memory; to check: a build without sanitizers";
#endif
  constexpr std::size_t kMost = 160 * (std::size_t{1} << 20);
  const std::vector<std::string> both = {"run",
                                         "p-mnist",
                                         "--data",
                                         path("data").string(),
                                         "--out",
                                         path("out").string(),
                                         "--tasks",
                                         "2",
                                         "--epochs",
                                         "1",
                                         "--batch",
                                         "100",
                                         "--jobs",
                                         "1",
                                         "--seed",
                                         "0",
                                         "--lr",
                                         "0.01",
                                         "--hidden",
                                         "3000,3000",
                                         "--learner",
                                         "sgd,oewc",
                                         "--checkpoint-every",
                                         "off"};
  const Outcome outcome = testing::gpscl(both, {.memory = kMost});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("oewc seed 0: failed: out of memory"));
  EXPECT_THAT(outcome.err, HasSubstr("sgd seed 0: accuracy"));
  EXPECT_EQ(files_in("out").size(), 1u);
}

}  // namespace resume_test
}  // namespace gps
