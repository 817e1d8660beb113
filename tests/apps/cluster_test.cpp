// gpscl under mpirun, with several ranks on this machine: the same results, and what happens when
// it is stopped or loses a rank.
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>

#include "apps/tiny_program_run.h"
#include "gps/experiments/store/store.h"

namespace gps {
namespace cluster_test {

namespace fs = std::filesystem;

using testing::gpscl;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Program;
using testing::ProgramOptions;
using testing::write_file;

// The processes that this one has started.
std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  std::vector<pid_t> found;
  for (pid_t pid = 0; file >> pid;) found.push_back(pid);
  return found;
}

class UnderMpirun : public testing::TinyProgramRun {
 protected:
  void SetUp() override {
    if (!fs::exists(GPSCL_MPIRUN))
      GTEST_SKIP() << "not checked: gpscl under mpirun; to check: install libopenmpi-dev and "
                      "openmpi-bin, build again";
  }

  static ProgramOptions ranks(int count) {
    ProgramOptions options;
    options.launcher = {GPSCL_MPIRUN, "--oversubscribe",    "--bind-to", "none",
                        "-n",         std::to_string(count)};
    options.environment = {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
    return options;
  }

  std::vector<std::string> sweep(const std::string& grid, const std::string& out) const {
    write_file(
        path("sweep.toml"),
        "[defaults]\nbenchmark = \"p-mnist\"\nepochs = 1\nhidden = 16\nmemory = 40\n" + grid);
    return {"sweep", path("sweep.toml").string(), "--data", path("data").string(),
            "--out", path(out).string(),          "--jobs", "1"};
  }
  std::map<std::string, nlohmann::json> kept_in(const std::string& out) const {
    std::vector<fs::path> unfinished;  // what a killed process has left
    for (const auto& entry : fs::directory_iterator(path(out))) {
      if (entry.path().extension() == ".tmp") unfinished.push_back(entry.path());
    }
    for (const fs::path& file : unfinished) fs::remove(file);
    std::map<std::string, nlohmann::json> kept = files_in(out);
    for (auto& [name, result] : kept) result = without_times(nlohmann::json::array({result}))[0];
    return kept;
  }
  std::size_t done_in(const std::string& out) const {
    Store store(path(out) / "runs.sqlite");
    return store
        .find({.ids = {}, .benchmark = "", .learner = "", .policy = "", .status = RunStatus::done})
        .size();
  }
};

TEST_F(UnderMpirun, RunHasTheSameResults) {
  const std::vector<std::string> added = {
      "--policy", "gps,reservoir", "--tasks", "3", "--memory", "60", "--seeds", "2", "--json"};
  const Outcome alone = gpscl(arguments(added, "alone"));
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const auto expected = without_times(nlohmann::json::parse(alone.out));
  for (const int count : {1, 2, 3}) {
    const std::string out = "ranks" + std::to_string(count);
    const Outcome outcome = gpscl(arguments(added, out), ranks(count));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(without_times(nlohmann::json::parse(outcome.out)), expected) << count;
    EXPECT_EQ(kept_in(out), kept_in("alone")) << count;
  }
}

TEST_F(UnderMpirun, SweepHasTheSameResultsAndStore) {
  const std::string grid = "[[grid]]\npolicy = [\"reservoir\", \"gps\"]\ntasks = 3\nseeds = 3\n";
  ASSERT_EQ(gpscl(sweep(grid, "alone")).exit_code, 0);
  for (const int count : {1, 2, 3}) {
    const std::string out = "ranks" + std::to_string(count);
    const Outcome outcome = gpscl(sweep(grid, out), ranks(count));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("[6/6] "));
    EXPECT_THAT(outcome.out, HasSubstr("6 runs: 6 done, 0 failed"));
    EXPECT_EQ(kept_in(out), kept_in("alone")) << count;
    EXPECT_EQ(done_in(out), 6u);
  }
}

TEST_F(UnderMpirun, ARunThatFailsOnAnotherRankIsRecordedWithItsReason) {
  const std::string grid =
      "[[grid]]\npolicy = \"reservoir\"\ntasks = 2\nlr = [0.1, 1e30]\nseeds = 2\n";
  const Outcome alone = gpscl(sweep(grid, "alone"));
  const Outcome outcome = gpscl(sweep(grid, "out"), ranks(2));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("4 runs: 2 done, 2 failed"));
  EXPECT_THAT(outcome.err, HasSubstr("a finite number in task 1"));
  EXPECT_EQ(kept_in("out"), kept_in("alone"));
}

TEST_F(UnderMpirun, SaysOnceWhatIsWrong) {
  const Outcome unknown = gpscl(arguments({"--policy", "best"}), ranks(2));
  EXPECT_EQ(unknown.exit_code, 2);
  const std::size_t first = unknown.err.find("gpscl: unknown policy 'best'");
  ASSERT_NE(first, std::string::npos) << unknown.err;
  EXPECT_EQ(unknown.err.find("gpscl:", first + 1), std::string::npos) << unknown.err;

  const Outcome no_file = gpscl({"sweep", path("nothing.toml").string()}, ranks(2));
  EXPECT_NE(no_file.exit_code, 0);
  EXPECT_THAT(no_file.err, HasSubstr("nothing.toml"));
}

TEST_F(UnderMpirun, NamesTheRankThatHasNoData) {
  // As on a second machine without the data: mpirun may start each rank with options of its own.
  ProgramOptions options = ranks(1);
  std::vector<std::string> words = arguments({});
  const std::vector<std::string> first = words;
  words.insert(words.end(), {":", "-n", "1", GPSCL_PROGRAM});
  for (const std::string& word : first)
    words.push_back(word == path("data").string() ? path("elsewhere").string() : word);
  fs::create_directories(path("elsewhere"));
  const Outcome outcome = gpscl(words, options);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("gpscl: rank 1 on "));
  EXPECT_THAT(outcome.err, HasSubstr("elsewhere"));
}

TEST_F(UnderMpirun, KeepsWhatIsFinishedWhenItIsStopped) {
  // The two long runs start first, as the longest do, and keep a rank busy each: 40 billion steps
  // take more than an hour, the time limit of a test, even at ten million steps a second. The third
  // rank does the six short ones.
  const std::string grid =
      "[[grid]]\npolicy = \"reservoir\"\ntasks = 1000\nepochs = 1000000\nseeds = 2\n"
      "[[grid]]\npolicy = \"reservoir\"\ntasks = 2\nseeds = 6\n";
  Program program(sweep(grid, "out"), ranks(3));
  ASSERT_TRUE(program.wait_for("[6/8]", 1)) << program.finish().err;
  program.send(SIGTERM);
  const Outcome outcome = program.finish();
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_EQ(done_in("out"), 6u);
  EXPECT_EQ(kept_in("out").size(), 6u);
}

TEST_F(UnderMpirun, ARankThatIsKilledCostsItsRunAndTheNextCallCompletes) {
  const std::string grid = "[[grid]]\npolicy = \"reservoir\"\ntasks = 10\nepochs = 50\nseeds = 8\n";
  {
    // Rank 1 gets the first run and pauses in it; rank 0 goes on with the others. A run has 20,000
    // steps. A rank that waits for work passes at most one stop point every 10 ms: rank 1 would
    // pause too early only if rank 0 took 200 seconds, rather than milliseconds, to hand out the
    // first run.
    std::vector<std::string> words = sweep(grid, "out");
    const std::vector<std::string> again = words;
    words.insert(words.end(), {":", "-n", "1", "env", "GPSCL_HALT=pause@20000", GPSCL_PROGRAM});
    words.insert(words.end(), again.begin(), again.end());
    Program program(words, ranks(1));
    ASSERT_TRUE(program.wait_for("gpscl: paused at stop point ", 1)) << program.finish().err;
    ASSERT_TRUE(program.wait_for("[2/8]", 1)) << program.finish().err;
    const std::vector<pid_t> both = children_of(program.pid());
    ASSERT_EQ(both.size(), 2u);
    kill(both[1], SIGKILL);
    EXPECT_NE(program.finish().exit_code, 0) << "Open MPI ends the others";
  }
  const std::size_t kept = done_in("out");
  EXPECT_GE(kept, 2u);
  const Outcome next = gpscl(sweep(grid, "out"), ranks(2));
  EXPECT_EQ(next.exit_code, 0) << next.err;
  EXPECT_THAT(next.err, HasSubstr("8 runs, " + std::to_string(8 - kept) + " to do"));
  EXPECT_EQ(done_in("out"), 8u);
  ASSERT_EQ(gpscl(sweep(grid, "alone")).exit_code, 0);
  EXPECT_EQ(kept_in("out"), kept_in("alone"));
}

}  // namespace cluster_test
}  // namespace gps
