#include "gps/experiments/scheduling/run_many.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "experiments/tiny_run.h"
#include "gps/core/files/sqlite.h"
#include "gps/core/work/clock.h"
#include "gps/experiments/scheduling/cost.h"
#include "support/temporary_folder.h"

namespace gps {
namespace run_many_test {

using ::testing::ElementsAre;
using testing::text_but_for_times;
using testing::tiny_run;
using testing::tiny_spec;

// Runs over tiny data; those of seed 13 fail.
class TinyWorker final : public Worker {
 public:
  RunResult run(const Job& job, const RunHooks& hooks) override {
    {
      const std::lock_guard lock(mutex_);
      ran.push_back(job.seed);
    }
    if (job.seed == 13) throw std::runtime_error("seed 13 is no good");
    if (job.seed == 14) throw std::bad_alloc();
    return tiny_run(job.spec, job.seed, hooks);
  }
  std::vector<std::uint64_t> ran;

 private:
  std::mutex mutex_;
};

// When the heart of a process on another host beat last: later than any moment at which a test
// runs, so that it is never found silent.
constexpr double kAlive = 1e12;

class RunMany : public ::testing::Test {
 protected:
  RunMany() : store_(folder_.path() / "runs.sqlite") {}

  static std::vector<Job> jobs(const std::vector<std::uint64_t>& seeds) {
    std::vector<Job> all;
    for (const std::uint64_t seed : seeds) all.push_back({tiny_spec("reservoir"), seed, "a job"});
    return all;
  }
  std::vector<JobState> carry_out(const std::vector<Job>& all, RunManyOptions options = {},
                                  const RunManyHooks& hooks = {}) {
    options.out = out();
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Executor executor(1);
    std::vector<JobState> states;
    for (const JobEnd& end : run_many(all, order, worker_, executor, store_, stop_, options, hooks))
      states.push_back(end.state);
    return states;
  }
  std::filesystem::path out() const { return folder_.path() / "out"; }
  RunStatus status_of(std::uint64_t seed) {
    return store_.find(tiny_spec("reservoir"), seed)->status;
  }

  testing::TemporaryFolder folder_{testing::in_memory()};
  Store store_;
  TinyWorker worker_;
  StopFlag stop_;
};

TEST_F(RunMany, KeepsEachRunAsAFileAndInTheStore) {
  EXPECT_THAT(carry_out(jobs({4, 2})), ElementsAre(JobState::done, JobState::done));
  EXPECT_THAT(worker_.ran, ElementsAre(4, 2)) << "in the given order";
  const RunResult expected = tiny_run(tiny_spec("reservoir"), 4);
  std::ifstream in(out() / file_name(expected.spec, 4));
  EXPECT_EQ(text_but_for_times(result_from_json(nlohmann::json::parse(in))),
            text_but_for_times(expected));
  const std::string stored = store_.find(expected.spec, 4)->result;
  EXPECT_EQ(text_but_for_times(result_from_json(nlohmann::json::parse(stored))),
            text_but_for_times(expected));
}

TEST_F(RunMany, DoesNotDoAgainWhatIsDone) {
  carry_out(jobs({0, 1}));
  EXPECT_THAT(carry_out(jobs({0, 1, 2})),
              ElementsAre(JobState::was_done, JobState::was_done, JobState::done));
  EXPECT_THAT(worker_.ran, ElementsAre(0, 1, 2));
  EXPECT_THAT(carry_out(jobs({0}), {.out = {}, .what = Redo::all}), ElementsAre(JobState::done));
}

TEST_F(RunMany, DoesNotDoWhatAnotherProcessIsDoing) {
  ProcessId other = this_process();
  other.host = "another";
  ASSERT_EQ(store_.claim(tiny_spec("reservoir"), 0, {}, other, kAlive), Claim::granted);
  EXPECT_THAT(carry_out(jobs({0, 1}), {.out = {}, .what = Redo::all}),
              ElementsAre(JobState::failed, JobState::done));
  EXPECT_THAT(worker_.ran, ElementsAre(1));
  EXPECT_EQ(status_of(0), RunStatus::running) << "the claim is the other's";
}

TEST_F(RunMany, DoesNotDoAgainWhatAnotherProcessIsDoingAgain) {
  const ProcessId other{"another host", 1, ""};
  carry_out(jobs({0, 1}));
  ASSERT_EQ(store_.claim(tiny_spec("reservoir"), 0, {.redo_done = true}, other, kAlive),
            Claim::granted);
  EXPECT_THAT(carry_out(jobs({0, 1}), {.out = {}, .what = Redo::all}),
              ElementsAre(JobState::failed, JobState::done));
  EXPECT_THAT(worker_.ran, ElementsAre(0, 1, 1));
  EXPECT_EQ(status_of(0), RunStatus::done);
  EXPECT_THAT(carry_out(jobs({0, 1})), ElementsAre(JobState::was_done, JobState::was_done))
      << "the old results count";
}

TEST_F(RunMany, ClaimsWhatItDoesAgainAndGivesTheClaimBack) {
  const ProcessId other{"another host", 1, ""};
  const auto claim_elsewhere = [&](std::uint64_t seed) {
    return store_.claim(tiny_spec("reservoir"), seed, {.redo_done = true}, other, seconds_now());
  };
  carry_out(jobs({0, 1}));
  std::vector<Claim> claims;
  RunManyHooks hooks;
  hooks.started = [&](std::size_t job) { claims.push_back(claim_elsewhere(job)); };
  hooks.progress = [&](std::size_t job, const RunProgress&) {
    if (job == 1) stop_.request();
  };
  EXPECT_THAT(carry_out(jobs({0, 1}), {.out = {}, .what = Redo::all}, hooks),
              ElementsAre(JobState::done, JobState::open));
  EXPECT_THAT(claims, ElementsAre(Claim::busy, Claim::busy));
  EXPECT_EQ(claim_elsewhere(0), Claim::granted) << "it was done again";
  EXPECT_EQ(claim_elsewhere(1), Claim::granted) << "it was interrupted";
}

TEST_F(RunMany, RecordsAFailureAndGoesOn) {
  EXPECT_THAT(carry_out(jobs({13, 14, 1})),
              ElementsAre(JobState::failed, JobState::failed, JobState::done));
  EXPECT_EQ(store_.find(tiny_spec("reservoir"), 13)->error, "seed 13 is no good");
  EXPECT_EQ(store_.find(tiny_spec("reservoir"), 14)->error, "out of memory; use fewer `jobs`");
  EXPECT_THAT(carry_out(jobs({13})), ElementsAre(JobState::was_failed));
  EXPECT_THAT(carry_out(jobs({13}), {.out = {}, .what = Redo::missing, .retry_failed = true}),
              ElementsAre(JobState::failed));
}

TEST_F(RunMany, ADamagedRowEndsItsRunAndNoOther) {
  carry_out(jobs({0}));
  Database(folder_.path() / "runs.sqlite", Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute("PRAGMA ignore_check_constraints = ON; UPDATE runs SET status = 'dome'");
  std::vector<std::string> errors;
  RunManyHooks hooks;
  hooks.ended = [&](std::size_t, const JobEnd& end, const RunResult*) {
    errors.push_back(end.error);
  };
  EXPECT_THAT(carry_out(jobs({0, 1}), {}, hooks), ElementsAre(JobState::failed, JobState::done));
  EXPECT_THAT(
      errors,
      ElementsAre("run 1 is damaged: its status is unknown; gpscl runs rm 1 removes it", ""));
}

TEST_F(RunMany, TakesAFileThatTheStoreDoesNotKnowForDone) {
  save(tiny_run(tiny_spec("reservoir"), 5), out());
  std::ofstream(out() / file_name(tiny_spec("reservoir"), 6)) << "{\"schema\": 1, half of it";
  EXPECT_THAT(carry_out(jobs({5, 6})), ElementsAre(JobState::was_done, JobState::done));
  EXPECT_EQ(status_of(5), RunStatus::done);
  EXPECT_THAT(worker_.ran, ElementsAre(6)) << "a damaged file does not count";
}

TEST_F(RunMany, AStopGivesWhatWasBegunBackAndBeginsNothingMore) {
  RunManyHooks hooks;
  hooks.progress = [&](std::size_t job, const RunProgress&) {
    if (job == 1) stop_.request();
  };
  EXPECT_THAT(carry_out(jobs({0, 1, 2}), {}, hooks),
              ElementsAre(JobState::done, JobState::open, JobState::open));
  EXPECT_EQ(status_of(1), RunStatus::interrupted);
  EXPECT_FALSE(store_.find(tiny_spec("reservoir"), 2));
}

TEST_F(RunMany, AFileThatCannotBeWrittenEndsItAndKeepsWhatWasFinished) {
  const std::vector<Job> all = jobs({0, 1, 2});
  std::filesystem::create_directories(out() / file_name(all[1].spec, 1) / "in the way");
  EXPECT_THROW(carry_out(all), DataError);
  EXPECT_THAT(worker_.ran, ElementsAre(0, 1));
  EXPECT_EQ(status_of(0), RunStatus::done);
}

TEST_F(RunMany, WaitsForWhatAnotherProcessDoes) {
  const ProcessId elsewhere{"another host", 1, ""};
  const Spec spec = tiny_spec("reservoir");
  store_.claim(spec, 0, {}, elsewhere, kAlive);
  const RunResult result = tiny_run(spec);
  std::vector<std::string> told;
  RunManyHooks hooks;
  hooks.tell = [&](std::size_t, const std::string& line) {
    told.push_back(line);
    store_.record_done(result, elsewhere, 1, kAlive);  // the other one ends while this one waits
  };
  // It asks again until the other one has ended, so it does not matter how long 1 ms takes here.
  const RunManyOptions impatient{.patience = std::chrono::milliseconds(1)};
  EXPECT_THAT(carry_out(jobs({0}), impatient, hooks), ElementsAre(JobState::was_done));
  EXPECT_THAT(told, ElementsAre("waiting for process 1 on another host, which is doing this run"));
  EXPECT_TRUE(worker_.ran.empty());
}

TEST_F(RunMany, WaitsForWhatAnotherProcessDoesAgain) {
  const ProcessId elsewhere{"another host", 1, ""};
  carry_out(jobs({0}));
  store_.claim(tiny_spec("reservoir"), 0, {.redo_done = true}, elsewhere, kAlive);
  std::vector<std::string> told;
  RunManyHooks hooks;
  hooks.tell = [&](std::size_t, const std::string& line) {
    told.push_back(line);
    store_.release(tiny_spec("reservoir"), 0, elsewhere, kAlive);
  };
  const RunManyOptions impatient{.what = Redo::unfinished,
                                 .patience = std::chrono::milliseconds(1)};  // as above
  EXPECT_THAT(carry_out(jobs({0}), impatient, hooks), ElementsAre(JobState::was_done));
  EXPECT_THAT(told, ElementsAre("waiting for process 1 on another host, which is doing this run"));
  EXPECT_THAT(worker_.ran, ElementsAre(0)) << "the result of before is in the folder";
}

TEST(Cost, GrowsWithWhatIsDone) {
  Spec spec;
  const double er = expected_cost(spec);
  EXPECT_NEAR(er, 300000 + 110 * 250, 1) << "steps and tests of the paper's P-MNIST";
  Spec gps = spec;
  set_policy(gps.policy, "gps");
  EXPECT_GT(expected_cost(gps), er);
  EXPECT_LT(expected_cost(gps), 1.2 * er);
  set_policy(gps.policy, "gps:offline");
  EXPECT_GT(expected_cost(gps), 10 * er) << "simulates all of the real future";
  Spec longer = spec;
  longer.benchmark.tasks = 20;
  EXPECT_NEAR(expected_cost(longer), 600000 + 420 * 250, 1);
  Spec wide = spec;
  wide.network.hidden = {400, 400};
  EXPECT_GT(expected_cost(wide), 4 * er);
}

TEST(Cost, InSecondsComesFromTheNearestRunsThatWereMeasured) {
  Spec spec;
  EXPECT_NEAR(SpeedEstimate({}).seconds(spec), 13.1, 0.1) << "the rule of thumb";
  const auto measured = [](const Spec& made, double seconds) {
    StoredRun run;
    run.spec = to_json(made).dump();
    run.benchmark = made.benchmark.name;
    run.learner = made.learner.name;
    run.seconds = seconds;
    return run;
  };
  Spec longer = spec;
  longer.benchmark.tasks = 20;
  EXPECT_NEAR(SpeedEstimate({measured(longer, 200)}).seconds(spec), 200 * 327.5 / 705, 0.1);
  EXPECT_NEAR(SpeedEstimate({measured(longer, 200), measured(spec, 7)}).seconds(spec), 7, 0.01);
}

TEST(Cost, OfAllOnSeveralWorkersIsWhenTheLastOneEnds) {
  EXPECT_EQ(makespan({}, 3), 0);
  EXPECT_EQ(makespan({5, 4, 3}, 2), 7);
  EXPECT_EQ(makespan({5, 4, 3}, 1), 12);
}

}  // namespace run_many_test
}  // namespace gps
