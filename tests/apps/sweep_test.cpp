// gpscl sweep: plans, what is recorded, and what happens when it is stopped, killed or run twice.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>

#include "apps/matches.h"
#include "apps/tiny_program_run.h"
#include "gps/core/files/sqlite.h"
#include "gps/core/rng.h"
#include "gps/experiments/store/store.h"
#include "support/name_space.h"

namespace gps {
namespace sweep_test {

namespace fs = std::filesystem;

using testing::all_matches;
using ::testing::AnyOf;
using testing::columns_of;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;
using testing::Program;
using testing::ProgramOptions;
using testing::write_file;

class Sweep : public testing::TinyProgramRun {
 protected:
  static constexpr const char* kDefaults =
      "[defaults]\nbenchmark = \"p-mnist\"\ntasks = 2\nepochs = 1\nhidden = 16\nmemory = 20\n";

  fs::path file(const std::string& grids) const {
    write_file(path("sweep.toml"), kDefaults + grids);
    return path("sweep.toml");
  }
  std::vector<std::string> call(const fs::path& sweep, const std::vector<std::string>& added = {},
                                const std::string& out = "out") const {
    std::vector<std::string> all = {"sweep", sweep.string(),     "--data", path("data").string(),
                                    "--out", path(out).string(), "--jobs", "2"};
    all.insert(all.end(), added.begin(), added.end());
    return all;
  }
  // What lies in the folder, without times; files that a killed process had begun to write too.
  std::map<std::string, nlohmann::json> kept_in(const std::string& out) const {
    for (const auto& entry : fs::directory_iterator(path(out))) {
      const fs::path name = entry.path();
      if (name.extension() == ".tmp") fs::remove(name);
    }
    std::map<std::string, nlohmann::json> kept = files_in(out);
    for (auto& [name, result] : kept) result = without_times(nlohmann::json::array({result}))[0];
    return kept;
  }
  // What the store says is done, without times, by the names of the files.
  std::map<std::string, nlohmann::json> stored_in(const std::string& out) const {
    Store store(path(out) / "runs.sqlite");
    std::map<std::string, nlohmann::json> stored;
    for (const StoredRun& run : store.find(RunFilter(), /*with_results=*/true)) {
      EXPECT_EQ(run.status, RunStatus::done) << run.error;
      if (run.status != RunStatus::done) continue;
      const auto result = nlohmann::json::parse(run.result);
      const RunResult read = result_from_json(result);
      stored[file_name(read.spec, read.seed)] = without_times(nlohmann::json::array({result}))[0];
    }
    return stored;
  }
};

TEST_F(Sweep, RunsTheGridOnceAndCompletesItLater) {
  const fs::path two = file("[[grid]]\npolicy = [\"reservoir\", \"gps\"]\nseeds = 2\n");
  const Outcome first = gpscl(call(two));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("sweep: 4 runs, 4 to do"));
  EXPECT_THAT(first.err, HasSubstr("[4/4] "));
  EXPECT_THAT(first.out, HasSubstr("vs er reservoir"));
  EXPECT_THAT(first.out, HasSubstr("4 runs: 4 done, 0 failed"));
  EXPECT_EQ(kept_in("out").size(), 4u);
  EXPECT_EQ(stored_in("out"), kept_in("out"));
  const fs::path three = file("[[grid]]\npolicy = [\"reservoir\", \"gps\"]\nseeds = 3\n");
  EXPECT_THAT(gpscl(call(three)).err, HasSubstr("6 runs, 2 to do"));
  const Outcome again = gpscl(call(three));
  EXPECT_THAT(again.err, HasSubstr("6 runs, 0 to do"));
  EXPECT_THAT(again.out, HasSubstr("6 runs: 6 done, 0 failed"));
  EXPECT_THAT(gpscl(call(three, {"--rerun"})).err, HasSubstr("6 runs, 6 to do"));
}

TEST_F(Sweep, GivesTheSameResultsAsRun) {
  gpscl(call(file("[[grid]]\npolicy = \"gps\"\nseeds = [1]\n")));
  gpscl(arguments({"--policy", "gps", "--memory", "20", "--seed", "1"}, "run"));
  EXPECT_EQ(kept_in("out"), kept_in("run"));
}

TEST_F(Sweep, KnowsWhatRunHasRecorded) {
  gpscl(arguments({"--policy", "reservoir", "--memory", "20", "--seeds", "2"}));
  const Outcome outcome = gpscl(call(file("[[grid]]\nseeds = 3\n")));
  EXPECT_THAT(outcome.err, HasSubstr("3 runs, 1 to do"));
}

TEST_F(Sweep, LeavesOutDefaultsWithoutEffect) {
  const std::string useless =
      "no-augment = true\nalpha = 0.3\nring = 0.2\nimage-size = 8\nskip-bad = true\n";
  gpscl(arguments({"--policy", "reservoir", "--memory", "20"}));
  const Outcome one = gpscl(call(file(useless + "[[grid]]\npolicy = \"reservoir\"\n")));
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.err, HasSubstr("1 run, 0 to do"));
  // Neither the policy nor what only policies use concerns sgd.
  const Outcome none = gpscl(
      call(file(useless + "policy = \"mixed:0.3\"\n[[grid]]\nlearner = \"sgd\"\n"), {"--dry-run"}));
  EXPECT_EQ(none.exit_code, 0) << none.err;
  EXPECT_THAT(none.out, HasSubstr("1 run: 0 done, 0 failed, 1 to do"));
}

TEST_F(Sweep, LeavesOutADefaultForTheNetworksThatDoNotHaveIt) {
  // `hidden = 16` stands among the defaults.
  const Outcome one = gpscl(call(file("[[grid]]\nmodel = \"resnet18\"\n"), {"--dry-run"}));
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("1 run: 0 done, 0 failed, 1 to do"));
  const Outcome both =
      gpscl(call(file("[[grid]]\nmodel = [\"mlp\", \"resnet18\"]\n"), {"--dry-run"}));
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("2 runs: 0 done, 0 failed, 2 to do"));
  const Outcome own =
      gpscl(call(file("[[grid]]\nmodel = \"resnet18\"\nhidden = 8\n"), {"--dry-run"}));
  EXPECT_EQ(own.exit_code, 2);
  EXPECT_THAT(own.err, HasSubstr("hidden = 8: works only with model mlp"));
}

TEST_F(Sweep, CollapsesWhatIsTheSameAndLeavesOutWhatCannotBe) {
  const Outcome outcome =
      gpscl(call(file("[[grid]]\nlearner = [\"er\", \"sgd\"]\npolicy = [\"reservoir\", \"gps\", "
                      "\"ring-full:floor\"]\nfuture = [\"rotation\", \"blurring\"]\n"
                      "memory = [10, 40]\n[[grid]]\nlearner = \"sgd\"\n"),
                 {"--dry-run"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  // sgd once; reservoir for two memories; gps for two futures each; ring-full with one memory.
  EXPECT_THAT(outcome.out, HasSubstr("8 runs: 0 done, 0 failed, 8 to do"));
  ASSERT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("sweep.toml:7: left out: --ring-quota floor needs a memory"));
  EXPECT_FALSE(fs::exists(path("out"))) << "a plan writes nothing";
}

TEST_F(Sweep, PlansWhatTheGridDoesNotGive) {
  const fs::path planned = file("[[grid]]\nplan = \"all\"\n[[grid]]\npolicy = \"reservoir\"\n");
  const Outcome outcome = gpscl(call(planned));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 runs: 2 done, 0 failed"));
  EXPECT_EQ(all_matches(outcome.out, "^p-mnist, ").size(), 1u) << "one table:\n" << outcome.out;
  EXPECT_EQ(all_matches(outcome.out, "^er reservoir +1 ").size(), 1u) << outcome.out;
  // [defaults] gives the epochs.
  EXPECT_EQ(all_matches(outcome.out, "^plan except length +1 ").size(), 1u) << outcome.out;
  gpscl(arguments({"--plan", "--memory", "20"}, "run"));
  gpscl(arguments({"--policy", "reservoir", "--memory", "20"}, "run"));
  EXPECT_EQ(kept_in("out"), kept_in("run")) << "as gpscl run does";
  EXPECT_THAT(gpscl(call(planned)).err, HasSubstr("2 runs, 0 to do"));
}

TEST_F(Sweep, HasPlansAsAnAxis) {
  const Outcome outcome = gpscl(call(
      file("[[grid]]\npolicy = [\"reservoir\", \"ring-full\"]\nplan = [\"lr\", \"lr,weights\"]\n"),
      {"--dry-run"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("4 runs: 0 done, 0 failed, 4 to do"));
}

TEST_F(Sweep, MistakesInTheFileAreNamedWithLineKeyAndValue) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> mistakes = {
      {"[[grid]]\npolcy = \"gps\"\n", {":8: ", "'polcy'", "'policy'"}},
      {"[[grid]]\npolicy = [\"gps\",\n\"gsp\"]\n", {":9: policy = gsp", "known: reservoir"}},
      {"[[grid]]\nmemory = [5,\n0]\n", {":9: memory = 0", "between 1 and"}},
      {"[[grid]]\nmemory = \"many\"\n", {":8: memory = many", "a whole number"}},
      {"[[grid]]\nmemory = true\n", {":8: memory", "string or a number"}},
      {"[[grid]]\nlr = [0.1, \"fast\"]\n", {":8: lr = fast", "a number"}},
      {"[[grid]]\nlearner = [\"er\", \"icarl\"]\n", {":8: learner = icarl", "s-mnist"}},
      {"[[grid]]\nplan = [\"lr\",\n\"speed\"]\n", {":9: plan = speed", "known: all, learner"}},
      {"[[grid]]\nplan = true\n", {":8: plan must be a string"}},
      {"[[grid]]\nplan = \"lr\"\nlr = 0.1\n", {":8: plan = lr", "must not name lr if --lr is"}},
      {"[[grid]]\nlearner = [\"er\", \"sgd\"]\npolicy = \"mixed:0.3/0.5/0.7\"\n",
       {":9: policy = mixed:0.3/0.5/0.7: --ring must have one ratio"}},
      {"[[grid]]\nlearner = \"er\"\npolicy = \"mixed:0.3/0.5/0.7\"\n",
       {":9: policy = mixed:0.3/0.5/0.7: --ring must have one ratio"}},
      {"[[grid]]\nring = 0.5\n", {":8: ring = 0.5", "works only with policy mixed"}},
      {"[[grid]]\nseeds = \"all\"\n", {":8: seeds = all", "whole number"}},
      {"[[grid]]\nseeds = 0\n", {":8: seeds = 0", "at least 1"}},
      {"[[grid]]\nout = \"here\"\n", {":8: out", "--out"}},
      {"[[grid]]\nseeds = 2\nseed = 1\n", {":9: seed and seeds cannot be used together"}},
      {"[[grid]]\njson = true\n", {":8: json is not allowed here", "gpscl runs export"}},
      {"[[grid]]\nresume = true\n", {":8: resume", "always continues"}},
      {"[[grid]]\ncheckpoint-every = 1\n", {":8: ", "use gpscl sweep --checkpoint-every"}},
      {"[[grid]\n", {":7: "}},
  };
  for (const auto& [grids, parts] : mistakes) {
    const Outcome outcome = gpscl(call(file(grids)));
    EXPECT_EQ(outcome.exit_code, 2) << grids;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    for (const std::string& part : parts) EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_FALSE(fs::exists(path("out")));
  }
  EXPECT_EQ(gpscl(call(path("nowhere.toml"))).exit_code, 1);
  EXPECT_THAT(gpscl(call(path("data"))).err, HasSubstr("is a folder"));
  EXPECT_THAT(gpscl(call(path("nofile.toml"))).err,
              HasSubstr("nofile.toml: cannot be read: No such file or directory"));
}

TEST_F(Sweep, WithMoreRunsThanAnybodyWantsIsRefusedWithTheProduct) {
  std::string values = "[1";
  for (int k = 2; k <= 30; ++k) values += fmt::format(", {}", k);
  values += "]\n";
  std::string large = "[[grid]]\n";
  for (const char* key : {"memory", "lr", "epochs", "batch", "lambda", "memory-batch", "hidden"})
    large += std::string(key) + " = " + values;
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {large,
       ":7: memory x lr x epochs x batch x lambda x memory-batch x hidden = "
       "30 x 30 x 30 x 30 x 30 x 30 x 30 = 21870000000 runs, and at most 100000 are "
       "possible"},
      {"[[grid]]\nseeds = 1000000000\n", ":7: seeds = 1000000000 = 1000000000 runs"},
      {"[[grid]]\npolicy = [\"reservoir,ring-full\", \"hybrid\"]\nseeds = 40000\n",
       "policy x seeds = 3 x 40000 = 120000 runs"},
      {"[[grid]]\nseeds = 60000\n[[grid]]\nlr = 0.2\nseeds = 60000\n",
       ":9: 120000 runs with those of the grids before, and at most 100000 are possible"},
  };
  for (const auto& [grids, said] : mistakes) {
    const Outcome outcome = gpscl(call(file(grids), {"--dry-run"}));
    EXPECT_EQ(outcome.exit_code, 2) << grids;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(said));
  }
}

TEST_F(Sweep, PlansAsDoneWhatLiesInTheFolder) {
  const fs::path sweep = file("[[grid]]\nseeds = 3\n");
  gpscl(arguments({"--policy", "reservoir", "--memory", "20", "--seeds", "2"}));
  fs::remove(path("out") / "runs.sqlite");
  EXPECT_THAT(gpscl(call(sweep, {"--dry-run"})).out,
              HasSubstr("3 runs: 2 done, 0 failed, 1 to do"));
  EXPECT_THAT(gpscl(call(sweep, {"--dry-run", "--rerun"})).out, HasSubstr("3 to do"));
  write_file(path("out") / "runs.sqlite", "");
  EXPECT_THAT(gpscl(call(sweep, {"--dry-run"})).out, HasSubstr("1 to do")) << "an empty store";
  EXPECT_EQ(gpscl(call(sweep)).exit_code, 0);
  EXPECT_EQ(stored_in("out").size(), 3u);
}

TEST_F(Sweep, KeepsCheckpointsAsOftenAsItIsTold) {
  const fs::path sweep = file("[[grid]]\ntasks = 10\n");
  EXPECT_EQ(gpscl(call(sweep, {"--checkpoint-every", "often"})).exit_code, 2);
  for (const std::string every : {"off", "3steps"}) {
    // Nothing is evaluated so often that 100 stop points would come before the first step.
    Program stopped(call(sweep, {"--checkpoint-every", every}, every), {.halt = "pause@100"});
    ASSERT_TRUE(stopped.wait_until_paused());
    stopped.continue_with(SIGTERM);
    EXPECT_EQ(stopped.finish().exit_code, 143);
    std::size_t kept = 0;
    for (const auto& entry : fs::directory_iterator(path(every)))
      kept += entry.path().extension() == ".ckpt" ? 1 : 0;
    EXPECT_EQ(kept, every == "off" ? 0u : 1u) << every;
  }
}

TEST_F(Sweep, AFailedRunIsRecordedAndTheRestGoesOn) {
  const fs::path sweep = file("[[grid]]\nlr = [0.1, 1e30]\nseeds = 2\n");
  const Outcome outcome = gpscl(call(sweep));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("4 runs: 2 done, 2 failed"));
  EXPECT_THAT(outcome.err, HasSubstr("learning_rate=1e+30 seed 0 failed: "));
  EXPECT_EQ(kept_in("out").size(), 2u);
  const Outcome again = gpscl(call(sweep));
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("4 runs, 0 to do"));
  EXPECT_THAT(gpscl(call(sweep, {"--retry-failed"})).err, HasSubstr("4 runs, 2 to do"));
}

TEST_F(Sweep, MissingDataIsAnErrorOfTheWholeAndNoFailedRun) {
  std::vector<std::string> arguments = call(file("[[grid]]\nbenchmark = \"s-mnist\"\n"));
  fs::create_directories(path("empty"));
  arguments[3] = path("empty").string();
  if (fs::exists("/usr/share/datasets/mnist"))
    GTEST_SKIP() << "not checked: a sweep whose data is missing; to check: a machine without "
                    "/usr/share/datasets/mnist";
  const Outcome outcome = gpscl(arguments);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(stored_in("out").empty());
}

TEST_F(Sweep, SignalsEndItWithTheirCodeAndLoseNothing) {
  // With two at a time, the points of five runs are at least three whole runs.
  const std::uint64_t points =
      testing::stop_points_of(call(file("[[grid]]\nseeds = 5\n"), {}, "counted"));
  const fs::path sweep = file("[[grid]]\nseeds = 20\n");
  for (const auto& [signal_number, code] :
       std::vector<std::pair<int, int>>{{SIGINT, 130}, {SIGTERM, 143}}) {
    const std::string out = "out" + std::to_string(code);
    Program program(call(sweep, {}, out), {.halt = "pause@" + std::to_string(points)});
    ASSERT_TRUE(program.wait_until_paused());
    program.continue_with(signal_number);
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.exit_code, code);
    EXPECT_THAT(lines_of(outcome.err).back(), HasSubstr("interrupted; "));
    const auto kept = kept_in(out);
    EXPECT_GE(kept.size(), 3u);
    EXPECT_LT(kept.size(), 20u);
    Store store(path(out) / "runs.sqlite");
    std::size_t done = 0;
    for (const StoredRun& run : store.find(RunFilter())) {
      EXPECT_NE(run.status, RunStatus::running) << "a claim is left behind";
      done += run.status == RunStatus::done ? 1 : 0;
    }
    EXPECT_EQ(done, kept.size());
  }
}

TEST_F(Sweep, KilledAtRandomPointsItEndsWithTheSameBits) {
  const fs::path sweep = file(
      "[[grid]]\npolicy = [\"reservoir\", \"gps\"]\ntasks = 3\nseeds = 40\n"
      "[[grid]]\nlearner = \"der\"\nseeds = 20\n");
  const std::uint64_t points = testing::stop_points_of(call(sweep, {}, "whole"));
  // Twelve kills, each after at most a thirtieth of all points, leave more than half to be done.
  Rng random(2022);
  for (int kill = 0; kill < 12; ++kill) {
    const std::uint64_t point = 1 + random.index(points / 30);
    const Outcome killed =
        gpscl(call(sweep, {}, "killed"), {.halt = "kill@" + std::to_string(point)});
    EXPECT_EQ(killed.exit_code, -1) << "not killed at " << point << " of " << points;
  }
  const Outcome last = gpscl(call(sweep, {}, "killed"));
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(kept_in("whole").size(), 100u);
  for (const auto& entry : fs::directory_iterator(path("killed")))
    EXPECT_EQ(entry.path().string().find(".ckpt"), std::string::npos) << entry.path();
  EXPECT_EQ(kept_in("killed"), kept_in("whole"));
  EXPECT_EQ(stored_in("killed"), kept_in("whole"));
}

TEST_F(Sweep, TwoAtOnceDoEachRunOnceAndBothSeeAllOfThem) {
  const fs::path sweep = file("[[grid]]\npolicy = [\"reservoir\", \"gps\"]\nseeds = 20\n");
  Program one(call(sweep));
  Program other(call(sweep));
  const std::vector<Outcome> outcomes = {one.finish(), other.finish()};
  std::vector<std::string> done;
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("40 runs: 40 done, 0 failed"));
    const auto labels = all_matches(outcome.err, R"(\] (.* seed [0-9]+): accuracy)", /*group=*/1);
    done.insert(done.end(), labels.begin(), labels.end());
  }
  EXPECT_EQ(done.size(), 40u);
  EXPECT_EQ(std::set<std::string>(done.begin(), done.end()).size(), 40u) << "a run was done twice";
  EXPECT_EQ(stored_in("out").size(), 40u);
  EXPECT_EQ(stored_in("out"), kept_in("out"));
}

TEST_F(Sweep, GoesOnInTheMiddleOfRuns) {
  const fs::path sweep = file("[[grid]]\npolicy = \"gps\"\ntasks = 6\nwindow = 1\n");
  const std::vector<std::string> every = {"--checkpoint-every", "3steps"};
  const std::uint64_t points = testing::stop_points_of(call(sweep, every, "whole"));
  for (const std::string how : {"stop", "kill"}) {
    const auto has_checkpoint = [&] {
      for (const auto& entry : fs::directory_iterator(path(how))) {
        if (entry.path().extension() == ".ckpt") return true;
      }
      return false;
    };
    const Outcome halted =
        gpscl(call(sweep, every, how), {.halt = how + "@" + std::to_string(points / 2)});
    EXPECT_EQ(halted.exit_code, how == "stop" ? 130 : -1);
    ASSERT_TRUE(has_checkpoint());
    const Outcome outcome = gpscl(call(sweep, every, how));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("er gps:permutation seed 0: continues in task "));
    EXPECT_FALSE(has_checkpoint()) << "of what is done";
    EXPECT_EQ(kept_in(how), kept_in("whole"));
  }
}

TEST_F(Sweep, TakesOverWhatADeadOneHadBegun) {
  const fs::path sweep = file("[[grid]]\ntasks = 10\nseeds = 2\n");
  EXPECT_EQ(gpscl(call(sweep), {.halt = "kill@100"}).exit_code, -1);
  EXPECT_EQ(gpscl(call(sweep)).exit_code, 0);
  EXPECT_EQ(stored_in("out").size(), 2u);
}

TEST_F(Sweep, IsShownAsAWholeOnATerminal) {
  // Two runs on two workers, of 40 billion steps each: even at ten million steps a second they take
  // more than an hour, the time limit of a test. So neither ends before the other has begun,
  // however late that is, and the live lines are drawn again and again until a signal comes.
  Program program(call(file("[[grid]]\nseeds = 2\ntasks = 1000\nepochs = 1000000\n")),
                  {.err_is_terminal = true});
  ASSERT_TRUE(program.wait_for("0 of 2 done, 2 running", 1));
  ASSERT_TRUE(program.wait_for(" epoch ", 1));
  program.send(SIGINT);
  const Outcome outcome = program.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(outcome.err, HasSubstr(" left\r\n"));
  EXPECT_FALSE(
      all_matches(outcome.err, "task 1/1000 epoch [0-9]+/1000000  er reservoir seed [01]").empty());
  EXPECT_THAT(outcome.err, HasSubstr("\r\033[Jgpscl: interrupted; "))
      << "live lines are left behind";
}

TEST_F(Sweep, LeavesNoLiveLinesBehindOnATerminal) {
  const Outcome outcome = gpscl(call(file("[[grid]]\nseeds = 2\n")), {.err_is_terminal = true});
  ASSERT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("0 of 2 done, "));
  EXPECT_TRUE(outcome.err.ends_with("\r\033[J"));
}

TEST_F(Sweep, AStoreThatCannotBeUsedIsOneLine) {
  const fs::path sweep = file("[[grid]]\nseeds = 2\n");
  write_file(path("damaged.sqlite"), std::string(3000, 'x'));
  const std::vector<std::pair<std::string, std::string>> stores = {
      {path("damaged.sqlite").string(), "is damaged"},
      {"/proc/runs.sqlite", "cannot be opened"},
      {path("data").string(), "it is a folder"},
      {(path("damaged.sqlite") / "below.sqlite").string(), "cannot be created"},
  };
  for (const auto& [store, reason] : stores) {
    const Outcome outcome = gpscl(call(sweep, {"--store", store}));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(store + ": "));
    EXPECT_THAT(outcome.err, HasSubstr(reason));
  }
}

TEST_F(Sweep, AFolderThatCannotBeWrittenIsOneLine) {
  const fs::path sweep = file("[[grid]]\nseeds = 2\n");
  write_file(path("file"), "in the way");
  for (const std::string& out : {path("file").string(), std::string("/proc/results")}) {
    std::vector<std::string> arguments = call(sweep);
    arguments[5] = out;
    const Outcome outcome = gpscl(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("--out '" + out + "' cannot be used"));
  }
}

TEST_F(Sweep, ALockedStoreIsOneLineAndKeepsWhatWasFinished) {
  std::vector<std::string> arguments = call(file("[[grid]]\nseeds = 3\n"), {}, "counted");
  arguments.back() = "1";  // one at a time waits for the lock
  const std::uint64_t points = testing::stop_points_of(arguments);
  arguments = call(file("[[grid]]\nseeds = 20\n"));
  arguments.back() = "1";
  Program program(arguments, {.halt = "pause@" + std::to_string(points), .patience = "0"});
  ASSERT_TRUE(program.wait_until_paused());
  // The program stands still in a training step and holds no lock: nobody needs to be waited for.
  Database database(path("out") / "runs.sqlite", Database::Mode::read_write,
                    std::chrono::milliseconds(0));
  const auto transaction = std::make_unique<Transaction>(database);
  program.continue_with();  // it has no patience, and the lock is held until it has ended
  const Outcome outcome = program.finish();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(lines_of(outcome.err).back(), HasSubstr("runs.sqlite: is locked"));
  EXPECT_GE(kept_in("out").size(), 2u);
}

TEST_F(Sweep, RefusesAPatienceThatIsNoTime) {
  for (const std::string patience : {"soon", "-1", "1e9", ""}) {
    const Outcome outcome = gpscl(call(file("[[grid]]\nseeds = 1\n")), {.patience = patience});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(
        outcome.err,
        HasSubstr("GPSCL_PATIENCE must be seconds between 0 and 1000000, got '" + patience + "'"));
  }
}

TEST_F(Sweep, AFullDiskIsOneLineAndEndsIt) {
  // A result takes at least one page of the disk, so it fills up before a tenth of the runs is
  // done.
  const fs::path sweep = file("[[grid]]\nseeds = 750\n");
  constexpr std::size_t kDisk = std::size_t{75} * 4096;
  fs::create_directories(path("out"));
  const fs::path out = path("out");
  const Outcome outcome =
      gpscl(call(sweep), {.prepare = [&] { return testing::mount_small_disk(out, kDisk); }});
  if (outcome.exit_code == 126)
    GTEST_SKIP()
        << "not checked: a sweep on a full disk; to check: run as root, or allow user namespaces";
  EXPECT_EQ(outcome.exit_code, 1);
  // Whether the store or a result's file is the first to find no room is a matter of timing.
  EXPECT_THAT(lines_of(outcome.err).back(),
              AnyOf(HasSubstr("No space left on device"), HasSubstr("disk is full")));
  EXPECT_THAT(lines_of(outcome.err).back(), HasSubstr(out.string()));
}

TEST_F(Sweep, AReadOnlyDiskIsOneLine) {
  const fs::path sweep = file("[[grid]]\nseeds = 2\n");
  fs::create_directories(path("out"));
  const fs::path out = path("out");
  const Outcome outcome =
      gpscl(call(sweep), {.prepare = [&] { return testing::mount_read_only_disk(out); }});
  if (outcome.exit_code == 126)
    GTEST_SKIP() << "not checked: a sweep on a read-only disk; to check: run as root, or allow "
                    "user namespaces";
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("cannot be used"));
}

TEST_F(Sweep, SaysWhichRunsLearntNothing) {
  const Outcome outcome = gpscl(call(file("[[grid]]\npolicy = \"reservoir\"\nlr = [0.1, 30]\n")));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto said = all_matches(outcome.err, "^.*: warning: 2 of 2 tasks not learnt.*$");
  EXPECT_EQ(said.size(), 1u) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(" runs collapsed: "));
  EXPECT_THAT(outcome.out, HasSubstr("\n2 runs: 2 done, 0 failed, 1 collapsed\n"));
}

TEST(Configs, AreAllPlansWithoutAnyData) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(GPSCL_SOURCE_DIR) / "configs")) {
    SCOPED_TRACE(entry.path());
    ASSERT_EQ(entry.path().extension(), ".toml");
    ++files;
    const testing::TemporaryFolder folder;
    const Outcome outcome =
        gpscl({"sweep", entry.path().string(), "--dry-run"}, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "") << "something is left out";
    EXPECT_THAT(outcome.out, HasSubstr(entry.path().stem().string() + ": "));
    EXPECT_FALSE(all_matches(outcome.out, "^[1-9][0-9]* runs?: 0 done").empty()) << outcome.out;
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
  EXPECT_GE(files, 10u);
}

TEST_F(Sweep, ADamagedRunIsNotDone) {
  const fs::path sweep = file("seeds = 2\n[[grid]]\npolicy = \"reservoir\"\n");
  ASSERT_EQ(gpscl(call(sweep)).exit_code, 0);
  Database(path("out") / "runs.sqlite", Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute("UPDATE runs SET accuracy = 0.5 WHERE id = 1");
  const Outcome outcome = gpscl(call(sweep));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("2 runs: 1 done, 0 failed, 1 damaged\n"));
  EXPECT_THAT(outcome.err, HasSubstr("gpscl: run 1 is damaged: its checksum does not match; gpscl "
                                     "runs rm 1 removes it; left out of the tables\n"));
}

}  // namespace sweep_test
}  // namespace gps
