#include "gps/experiments/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "experiments/tiny_run.h"
#include "gps/core/files/files.h"
#include "gps/core/version.h"
#include "support/child.h"
#include "support/moment.h"
#include "support/temporary_folder.h"

namespace gps {
namespace store_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::tiny_run;
using testing::tiny_spec;

const ProcessId kOther{"another host", 1, "long ago"};

class StoreTest : public ::testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "runs.sqlite"; }
  Store open() const { return Store(file()); }
  std::string complaint(const Store::Options& options = {}) const {
    try {
      Store(file(), options);
    } catch (const DataError& error) {
      return error.what();
    }
    return "(opened)";
  }
  static Claim claim(Store& store, std::uint64_t seed, const ClaimRules& rules = {},
                     double now = 100) {
    return store.claim(spec(), seed, rules, this_process(), now);
  }
  static Spec spec() { return tiny_spec("reservoir"); }
  static RunResult result(std::uint64_t seed = 0) {
    RunResult made = tiny_run(spec());
    made.seed = seed;
    return made;
  }

 private:
  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_F(StoreTest, KeepsAResultToTheBitAndWhatItIs) {
  const RunResult made = result(3);
  {
    Store store = open();
    EXPECT_EQ(claim(store, 3), Claim::granted);
    store.record_done(made, this_process(), 2.5, 110);
  }
  Store store = open();
  const std::optional<StoredRun> run = store.find(spec(), 3);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, RunStatus::done);
  EXPECT_EQ(run->version, kVersion);
  EXPECT_EQ(run->hash, spec_hash(spec()));
  EXPECT_EQ(run->spec, to_json(spec()).dump());
  EXPECT_EQ(run->label, "reservoir");
  EXPECT_EQ(run->result, to_json(made).dump());
  EXPECT_EQ(run->accuracy, made.metrics.average_accuracy());
  EXPECT_EQ(run->seconds, 2.5);
  EXPECT_EQ(run->started, 107.5);
  EXPECT_EQ(run->finished, 110);
}

TEST_F(StoreTest, OnlyOneGetsAClaim) {
  Store store = open();
  Store second = open();
  EXPECT_EQ(claim(store, 0), Claim::granted);
  EXPECT_EQ(claim(second, 0), Claim::busy);
  EXPECT_EQ(claim(second, 1), Claim::granted) << "another seed is another run";
  Spec other = spec();
  other.memory += 1;
  EXPECT_EQ(second.claim(other, 0, {}, this_process(), 100), Claim::granted);
}

TEST_F(StoreTest, WhatIsDoneOrFailedIsSaidAndRedoneOnDemand) {
  Store store = open();
  claim(store, 0);
  store.record_done(result(), this_process(), 1, 101);
  EXPECT_EQ(claim(store, 0), Claim::done);
  EXPECT_EQ(claim(store, 0, {.redo_done = true, .redo_failed = false}), Claim::granted);
  EXPECT_EQ(store.find(spec(), 0)->status, RunStatus::done) << "until there is another result";
  claim(store, 1);
  store.record_failed(spec(), 1, "too hot", this_process(), 1, 101);
  EXPECT_EQ(claim(store, 1), Claim::failed);
  EXPECT_EQ(store.find(spec(), 1)->error, "too hot");
  EXPECT_EQ(claim(store, 1, {.redo_done = false, .redo_failed = true}), Claim::granted);
  EXPECT_EQ(store.find(spec(), 1)->error, "") << "of the time before";
}

TEST_F(StoreTest, OnlyOneGetsTheClaimToDoARunAgain) {
  constexpr ClaimRules kAgain{.redo_done = true, .redo_failed = true};
  Store store = open();
  Store second = open();
  const auto claim_elsewhere = [&] { return second.claim(spec(), 0, kAgain, kOther, 100); };
  store.record_done(result(), this_process(), 1, 90);
  EXPECT_EQ(claim_elsewhere(), Claim::granted);
  EXPECT_EQ(claim(store, 0, kAgain), Claim::busy);
  EXPECT_EQ(claim(store, 0), Claim::done) << "for those who need not do it again";
  EXPECT_EQ(store.find(spec(), 0)->status, RunStatus::done);
  EXPECT_EQ(store.find(spec(), 0)->owner, this_process()) << "who has done it";
  EXPECT_EQ(Store::worker_of(store.find(RunFilter()).front()), kOther);

  store.release(spec(), 0, this_process(), 101);
  EXPECT_EQ(claim(store, 0, kAgain), Claim::busy) << "only its owner can release it";
  second.release(spec(), 0, kOther, 101);
  EXPECT_EQ(claim(store, 0, kAgain), Claim::granted);
  EXPECT_EQ(claim_elsewhere(), Claim::busy);
  store.record_done(result(), this_process(), 1, 102);
  EXPECT_EQ(claim_elsewhere(), Claim::granted);
  second.record_failed(spec(), 0, "too hot", kOther, 1, 103);
  EXPECT_EQ(store.find(spec(), 0)->status, RunStatus::done);
  EXPECT_EQ(claim(store, 0, kAgain), Claim::granted);
}

TEST_F(StoreTest, TheClaimOfADeadProcessToDoARunAgainIsFree) {
  constexpr ClaimRules kAgain{.redo_done = true, .redo_failed = true};
  Store store = open();
  store.record_done(result(), this_process(), 1, 90);
  ProcessId dead = this_process();
  dead.start = "some other time";
  EXPECT_EQ(store.claim(spec(), 0, kAgain, dead, 100), Claim::granted);
  EXPECT_FALSE(Store::is_at_work(*store.find(spec(), 0), this_process(), 100));
  EXPECT_EQ(claim(store, 0, kAgain), Claim::granted);
  store.release(spec(), 0, this_process(), 100);
  EXPECT_EQ(store.claim(spec(), 0, kAgain, kOther, 100), Claim::granted);
  EXPECT_EQ(claim(store, 0, kAgain, 100 + Store::kSilence), Claim::busy);
  store.beat(kOther, 200);
  EXPECT_EQ(claim(store, 0, kAgain, 200 + Store::kSilence), Claim::busy);
  EXPECT_TRUE(Store::is_at_work(*store.find(spec(), 0), this_process(), 200));
  EXPECT_EQ(claim(store, 0, kAgain, 201 + Store::kSilence), Claim::granted);
}

TEST_F(StoreTest, ARunThatIsDoneAgainIsNotFreeWhenItsRowIsRemoved) {
  Store store = open();
  store.record_done(result(), this_process(), 1, 90);
  store.claim(spec(), 0, {.redo_done = true}, kOther, 100);
  store.remove({});
  EXPECT_EQ(claim(store, 0), Claim::busy);
  store.release(spec(), 0, kOther, 100);
  EXPECT_EQ(claim(store, 0), Claim::granted);
}

TEST_F(StoreTest, OfAnEarlierVersionHasNoClaimsToDoRunsAgainUntilItIsWrittenTo) {
  open().record_done(result(), this_process(), 1, 90);
  Database(file(), Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute("DROP TABLE redo_claims");
  {
    Store reader(file(), {.read_only = true});
    EXPECT_FALSE(reader.find(spec(), 0)->redo);
    EXPECT_FALSE(reader.find(RunFilter()).front().redo);
  }
  Store store = open();
  EXPECT_EQ(store.claim(spec(), 0, {.redo_done = true}, kOther, 100), Claim::granted);
  EXPECT_EQ(claim(store, 0, {.redo_done = true}), Claim::busy);
}

TEST_F(StoreTest, AFailureDoesNotReplaceAResult) {
  Store store = open();
  store.record_done(result(), this_process(), 1, 101);
  store.record_failed(spec(), 0, "too hot", this_process(), 1, 102);
  EXPECT_EQ(store.find(spec(), 0)->status, RunStatus::done);
}

TEST_F(StoreTest, WhatIsReleasedIsFreeAndOnlyItsOwnerCanReleaseIt) {
  Store store = open();
  claim(store, 0);
  store.release(spec(), 0, kOther, 101);
  EXPECT_EQ(claim(store, 0), Claim::busy);
  store.release(spec(), 0, this_process(), 101);
  EXPECT_EQ(store.find(spec(), 0)->status, RunStatus::interrupted);
  EXPECT_EQ(claim(store, 0), Claim::granted);
}

TEST_F(StoreTest, TheClaimOfADeadProcessIsFree) {
  const pid_t child = testing::start_child([&] {
    Store store = open();
    claim(store, 0);
    _exit(0);  // without a word
  });
  EXPECT_EQ(testing::wait_for(child), 0);
  Store store = open();
  EXPECT_EQ(store.find(spec(), 0)->owner.pid, child);
  EXPECT_EQ(claim(store, 0), Claim::granted);
}

TEST_F(StoreTest, APidThatWasGivenToAnotherProcessDoesNotKeepAClaim) {
  Store store = open();
  ProcessId before = this_process();
  before.start = "some other time";
  EXPECT_TRUE(is_alive(this_process()));
  EXPECT_FALSE(is_alive(before));
  store.claim(spec(), 0, {}, before, 100);
  EXPECT_EQ(claim(store, 0), Claim::granted);
}

TEST_F(StoreTest, AnotherHostKeepsItsClaimAsLongAsItsHeartBeats) {
  Store store = open();
  store.claim(spec(), 0, {}, kOther, 100);
  EXPECT_EQ(claim(store, 0, {}, 100 + Store::kSilence), Claim::busy);
  store.beat(kOther, 200);
  EXPECT_EQ(claim(store, 0, {}, 200 + Store::kSilence), Claim::busy);
  EXPECT_EQ(claim(store, 0, {}, 201 + Store::kSilence), Claim::granted);
}

TEST_F(StoreTest, ManyProcessesAndThreadsClaimEachRunOnce) {
  constexpr int kProcesses = 4;
  constexpr std::uint64_t kSeeds = 40;
  // As long as ctest lets a test take: SQLite asks again and again, and the same one may lose
  // often.
  const Store::Options patient{.patience = std::chrono::hours(1)};
  open();
  const auto compete = [&] {
    Store store(file(), patient);
    RunResult made;
    made.spec = spec();
    made.accuracy = {{1}};
    std::mutex mutex;
    int granted = 0;
    const auto work = [&] {
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        if (claim(store, seed) != Claim::granted) continue;
        const std::lock_guard lock(mutex);
        ++granted;
        made.seed = seed;
        store.record_done(made, this_process(), 1, 101);
      }
    };
    std::thread other(work);
    work();
    other.join();
    _exit(granted);
  };
  std::vector<pid_t> children;
  for (int k = 0; k < kProcesses; ++k) children.push_back(testing::start_child(compete));
  int granted = 0;
  for (const pid_t child : children) granted += testing::wait_for(child);
  EXPECT_EQ(granted, static_cast<int>(kSeeds));
  RunFilter filter;
  filter.status = RunStatus::done;
  EXPECT_EQ(open().find(filter).size(), kSeeds);
}

TEST_F(StoreTest, IsMadeOnceByManyProcessesThatOpenItAtTheSameTime) {
  constexpr int kProcesses = 6;
  constexpr int kStores = 8;
  const Store::Options patient{.patience = std::chrono::hours(1)};  // as above
  for (int nth = 0; nth < kStores; ++nth) {
    const std::filesystem::path made = file().parent_path() / std::to_string(nth);
    const testing::Moment all_are_ready;
    std::vector<pid_t> children;
    for (int k = 0; k < kProcesses; ++k) {
      children.push_back(testing::start_child([&] {
        all_are_ready.wait();
        Store store(made, patient);
        claim(store, static_cast<std::uint64_t>(k));
      }));
    }
    all_are_ready.comes();
    for (const pid_t child : children) EXPECT_EQ(testing::wait_for(child), 0);
    EXPECT_EQ(Store(made).find(RunFilter()).size(), std::size_t{kProcesses});
  }
}

TEST_F(StoreTest, FiltersByWhatARunIs) {
  Store store = open();
  for (const char* policy : {"reservoir", "gps:rotation", "gps:blurring"})
    store.claim(tiny_spec(policy), 0, {}, this_process(), 100);
  Spec split = testing::tiny_split_spec("gps");
  split.learner.name = "der";
  store.claim(split, 1, {}, this_process(), 105);
  store.record_failed(split, 1, "no", this_process(), 1, 110);
  const auto count = [&](const RunFilter& filter) { return store.find(filter).size(); };
  EXPECT_EQ(count({}), 4u);
  EXPECT_EQ(count({{}, "s-mnist", "", "", {}}), 1u);
  EXPECT_EQ(count({{}, "", "er", "", {}}), 3u);
  EXPECT_EQ(count({{}, "", "", "gps", {}}), 3u);
  EXPECT_EQ(count({{}, "", "", "gps:rotation", {}}), 1u);
  EXPECT_EQ(count({{}, "", "", "", RunStatus::failed}), 1u);
  EXPECT_EQ(count({{}, "p-mnist", "er", "gps", RunStatus::running}), 2u);
  EXPECT_EQ(count({{}, "' OR 1 --", "", "", {}}), 0u);
  EXPECT_EQ(store.find(RunFilter()).front().benchmark, "s-mnist") << "latest first";
  const std::int64_t id = store.find(RunFilter()).front().id;
  EXPECT_EQ(store.remove({{id}, "", "", "", {}}), 1u);
  EXPECT_EQ(count({}), 3u);
}

TEST_F(StoreTest, RefusesWhatIsNoStore) {
  EXPECT_THAT(complaint({.read_only = true}), AllOf(HasSubstr("there is no such store"),
                                                    HasSubstr("name another with `store` FILE")));
  EXPECT_THAT(complaint({.read_only = true, .named_by = "gpscl report STORE"}),
              AllOf(HasSubstr("name another with gpscl report STORE"), Not(HasSubstr("`store`"))));
  EXPECT_FALSE(std::filesystem::exists(file()));
  std::ofstream(file()) << std::string(5000, 'x');
  EXPECT_THAT(complaint(), AllOf(HasSubstr("is damaged"), HasSubstr("to get a new one")));
  EXPECT_THAT(complaint({.read_only = true}), AllOf(HasSubstr("is not a store of runs"),
                                                    HasSubstr("name another with `store` FILE"),
                                                    Not(HasSubstr("to get a new one"))));
  std::ofstream(file()) << std::string("SQLite format 3\0", 16) + std::string(5000, 'x');
  EXPECT_THAT(complaint({.read_only = true}),
              AllOf(HasSubstr("is damaged"), Not(HasSubstr("to get a new one"))));
  std::filesystem::remove(file());
  {
    Database database(file(), Database::Mode::read_write, std::chrono::milliseconds(0));
    database.execute("CREATE TABLE recipes (name)");
  }
  EXPECT_THAT(complaint(), HasSubstr("another program"));
}

TEST_F(StoreTest, KnowsThatAKilledProcessWasInterrupted) {
  const ProcessId self = this_process();
  StoredRun run;
  run.owner = self;
  EXPECT_EQ(Store::status_now(run, self, 0), RunStatus::running);
  run.owner.start = "before the last boot";
  EXPECT_EQ(Store::status_now(run, self, 0), RunStatus::interrupted);
  run.status = RunStatus::done;
  EXPECT_EQ(Store::status_now(run, self, 0), RunStatus::done);
}

TEST_F(StoreTest, SaysThatAFolderIsNoStore) {
  std::filesystem::create_directories(file());
  EXPECT_THAT(complaint(), HasSubstr("it is a folder"));
  EXPECT_THAT(complaint({.read_only = true}), HasSubstr("it is a folder"));
}

TEST_F(StoreTest, IsFoundInItsFolder) {
  const std::filesystem::path folder = file().parent_path() / "results";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(store_file(folder), folder) << "a folder without a store";
  { const Store made(folder / "runs.sqlite"); }
  EXPECT_EQ(store_file(folder), folder / "runs.sqlite");
  EXPECT_EQ(store_file(folder / "runs.sqlite"), folder / "runs.sqlite");
  EXPECT_EQ(Store(folder, {.read_only = true}).path(), folder / "runs.sqlite");
}

// Opening a pipe may wait for ever.
TEST_F(StoreTest, SaysThatAPipeIsNoStore) {
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_THAT(complaint(), HasSubstr("it is a pipe or a device"));
  EXPECT_THAT(complaint({.read_only = true}), HasSubstr("it is a pipe or a device"));
}

TEST_F(StoreTest, IsMadeOfAnEmptyFile) {
  std::ofstream(file()).close();
  EXPECT_THAT(complaint({.read_only = true}), HasSubstr("is empty"));
  EXPECT_EQ(complaint(), "(opened)");
  EXPECT_EQ(complaint({.read_only = true}), "(opened)");
}

TEST_F(StoreTest, KnowsWhoIsAtWork) {
  Store store = open();
  claim(store, 0);
  store.claim(spec(), 1, {}, kOther, 100);
  const auto is_at_work = [&](std::uint64_t seed, double now) {
    return Store::is_at_work(*store.find(spec(), seed), this_process(), now);
  };
  EXPECT_TRUE(is_at_work(0, 1e9)) << "this very process";
  EXPECT_TRUE(is_at_work(1, 100 + Store::kSilence - 1));
  EXPECT_FALSE(is_at_work(1, 100 + Store::kSilence + 1));
  store.release(spec(), 0, this_process(), 100);
  EXPECT_FALSE(is_at_work(0, 100));
}

TEST_F(StoreTest, RefusesALaterSchema) {
  open();
  Database(file(), Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute("PRAGMA user_version = 4");
  EXPECT_THAT(complaint(), HasSubstr("schema 4; this version of gpscl reads 1 to 3"));
}

TEST_F(StoreTest, KeepsAnalyses) {
  Store store = open();
  StoredAnalysis made;
  made.kind = "difficulty";
  made.options = R"({"task":1})";
  made.seed = 3;
  made.result = "{}";
  made.seconds = 2.5;
  made.finished = 110;
  store.record(made);
  EXPECT_FALSE(store.find_analysis("difficulty", made.options, 4));
  EXPECT_FALSE(store.find_analysis("ring-size", made.options, 3));
  const auto found = store.find_analysis("difficulty", made.options, 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->hash, text_hash(made.options));
  EXPECT_EQ(found->version, kVersion);
  EXPECT_EQ(found->seconds, 2.5);
  EXPECT_EQ(found->finished, 110);
  made.result = R"({"again":true})";
  made.finished = 120;
  store.record(made);
  ASSERT_EQ(store.analyses().size(), 1u) << "the later one replaces it";
  EXPECT_EQ(store.analyses("difficulty").front().result, made.result);
  EXPECT_TRUE(store.analyses("ring-size").empty());
}

TEST_F(StoreTest, BringsAStoreOfSchema1UpToDateAndKeepsItsRuns) {
  open().record_done(result(), this_process(), 1, 101);
  Database(file(), Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute("DROP TABLE analyses; PRAGMA user_version = 1");
  {
    Store reader(file(), {.read_only = true});
    EXPECT_EQ(reader.find(RunFilter()).size(), 1u) << "who only reads leaves it as it is";
    EXPECT_TRUE(reader.analyses().empty());
    EXPECT_FALSE(reader.find_analysis("difficulty", "{}", 0));
  }
  Store store = open();
  EXPECT_EQ(store.find(spec(), 0)->status, RunStatus::done);
  EXPECT_TRUE(store.analyses().empty());
  StoredAnalysis made;
  made.kind = "difficulty";
  store.record(made);
  EXPECT_EQ(open().analyses().size(), 1u);
}

TEST_F(StoreTest, ReadsRowsOfSchema2AndAddsChecksumsToNewOnes) {
  StoredAnalysis analysis;
  analysis.kind = "difficulty";
  analysis.options = "{}";
  analysis.result = "{}";
  {
    Store store = open();
    store.record_done(result(0), this_process(), 1, 101);
    store.record(analysis);
  }
  Database(file(), Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute(
          "ALTER TABLE runs DROP COLUMN checksum; ALTER TABLE analyses DROP COLUMN checksum; "
          "PRAGMA user_version = 2");
  {
    Store reader(file(), {.read_only = true});
    EXPECT_NO_THROW(result_from(*reader.find(spec(), 0)));
    EXPECT_EQ(reader.find(RunFilter()).front().damage, "");
    EXPECT_EQ(reader.analyses().front().damage, "");
  }
  Store store = open();
  EXPECT_NO_THROW(result_from(*store.find(spec(), 0)));
  EXPECT_EQ(store.analyses().front().damage, "");
  store.record_done(result(1), this_process(), 1, 101);
  store.record_failed(spec(), 2, "too hot", this_process(), 1, 101);
  claim(store, 3);
  store.release(spec(), 3, this_process(), 102);
  for (const StoredRun& run : store.find(RunFilter())) EXPECT_EQ(run.damage, "") << run.id;
  Database database(file(), Database::Mode::read_only, std::chrono::milliseconds(0));
  Statement with_checksums(database,
                           "SELECT group_concat(seed) FROM (SELECT seed FROM runs WHERE checksum "
                           "IS NOT NULL ORDER BY seed)");
  ASSERT_TRUE(with_checksums.step());
  EXPECT_EQ(with_checksums.text(0), "1,2") << "those that have ended since";
}

TEST_F(StoreTest, ARunThatIsDoneAgainReplacesAllThatItsRowSays) {
  Store store = open();
  claim(store, 0);
  // What a version with other labels would have claimed.
  Database(file(), Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute("UPDATE runs SET label = 'of another version', version = '0.0.1'");
  store.record_done(result(), this_process(), 1, 101);
  const StoredRun run = *store.find(spec(), 0);
  EXPECT_EQ(run.damage, "");
  EXPECT_EQ(run.label, "reservoir");
  EXPECT_EQ(run.version, kVersion);
}

TEST_F(StoreTest, NamesWhatIsWrongWithAnAnalysis) {
  StoredAnalysis made;
  made.kind = "difficulty";
  made.options = R"({"task":1})";
  made.result = R"({"tasks":[1]})";
  Store store = open();
  store.record(made);
  EXPECT_EQ(store.analyses().front().damage, "");
  Database other(file(), Database::Mode::read_write, std::chrono::milliseconds(0));
  other.execute("UPDATE analyses SET result = replace(result, '1', '2')");
  EXPECT_EQ(store.analyses().front().damage, "its checksum does not match");
  store.record(made);
  EXPECT_EQ(store.analyses().front().damage, "") << "it was done again";
  other.execute("UPDATE analyses SET options = replace(options, '1', '2')");
  EXPECT_EQ(store.analyses().front().damage, "its options do not match their hash");
}

TEST_F(StoreTest, SaysThatItIsLockedWhenPatienceEnds) {
  open();
  Database other(file(), Database::Mode::read_write, std::chrono::milliseconds(0));
  // Held for longer than any patience, so it does not matter how long 30 ms take here.
  const Transaction transaction(other);
  const Store::Options impatient{.read_only = false, .patience = std::chrono::milliseconds(30)};
  EXPECT_THAT(complaint(impatient), HasSubstr("is locked"));
  EXPECT_EQ(complaint({.read_only = true}), "(opened)") << "readers need not wait";
}

TEST_F(StoreTest, NamesWhatIsWrongWithARow) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"spec = substr(spec, 2)", "its spec is not JSON"},
      {"spec = '[1]'", "its spec is not JSON"},
      {"spec = x'80'", "its spec is not JSON"},
      {"spec = replace(spec, 'p-mnist', 'q-mnist')", "its spec does not match its hash"},
      {"hash = '00000000'", "its spec does not match its hash"},
      {"status = 'dome'", "its status is unknown"},
      {"finished = 1e300", "its times are out of range"},
      {"finished = 102", "its checksum does not match"},
      {"accuracy = accuracy / 2", "its checksum does not match"},
      {"seconds = 2", "its checksum does not match"},
      {"status = 'failed'", "its checksum does not match"},
      {"label = 'hybrid'", "its checksum does not match"},
      {"version = '9.9.9'", "its checksum does not match"},
      {"error = 'too hot'", "its checksum does not match"},
      {"checksum = '00000000'", "its checksum does not match"},
  };
  for (const auto& [change, damage] : changes) {
    std::filesystem::remove(file());
    Store store = open();
    store.record_done(result(), this_process(), 1, 101);
    claim(store, 1);
    Database(file(), Database::Mode::read_write, std::chrono::milliseconds(0))
        .execute("PRAGMA ignore_check_constraints = ON; UPDATE runs SET " + change +
                 " WHERE seed = 0");
    const std::vector<StoredRun> runs = store.find(RunFilter(), /*with_results=*/true);
    ASSERT_EQ(runs.size(), 2u) << change;
    for (const StoredRun& run : runs) {
      EXPECT_EQ(run.damage, run.seed == 0 ? damage : "") << change;
      if (run.seed != 0) continue;
      const std::string line = "run 1 is damaged: " + damage + "; gpscl runs rm 1 removes it";
      EXPECT_EQ(damage_line(run), line);
      EXPECT_THROW(result_from(run), DamagedResult);
    }
    EXPECT_EQ(store.remove({{1}, "", "", "", {}}), 1u) << change;
    EXPECT_EQ(claim(store, 0), Claim::granted) << "it can be done again: " << change;
  }
}

TEST_F(StoreTest, NamesThoseOfTheGivenRunsThatCollapsed) {
  Store store = open();
  RunResult made = result();
  for (made.seed = 0; made.seed < 3; ++made.seed) {
    made.has_collapsed = made.seed > 0;
    store.record_done(made, this_process(), 1, 101);
  }
  const auto collapsed = [&](const std::vector<std::int64_t>& ids) { return store.collapsed(ids); };
  EXPECT_EQ(collapsed({1, 2, 3}), (std::set<std::int64_t>{2, 3}));
  EXPECT_EQ(collapsed({1, 2}), std::set<std::int64_t>{2}) << "only those that were asked for";
  EXPECT_EQ(collapsed({}), std::set<std::int64_t>());
  std::vector<std::int64_t> many(2500);
  std::iota(many.begin(), many.end(), -2497);
  EXPECT_EQ(collapsed(many), std::set<std::int64_t>{2});
}

TEST_F(StoreTest, KnowsTheAccuracyAmongAllClassesWhereThereIsOne) {
  Store store = open();
  RunResult made = result();
  made.seed = 0;
  store.record_done(made, this_process(), 1, 101);
  made.seed = 1;
  made.class_incremental = {made.accuracy, made.accuracy_at_initialisation, made.metrics};
  made.class_incremental->metrics.set("average_accuracy", 0.375);
  store.record_done(made, this_process(), 1, 101);
  const auto among_all = [&](const std::vector<std::int64_t>& ids) { return store.among_all(ids); };
  EXPECT_EQ(among_all({1, 2}), (std::map<std::int64_t, double>{{2, 0.375}}));
  EXPECT_EQ(among_all({1}), (std::map<std::int64_t, double>{}));
  Database(file(), Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute("UPDATE runs SET result = substr(result, 1, length(result) - 5)");
  EXPECT_EQ(among_all({1, 2}), (std::map<std::int64_t, double>{})) << "damaged";
}

TEST_F(StoreTest, AClaimOfARunWithoutAKnownStatusSaysHowToRemoveIt) {
  Store store = open();
  store.record_done(result(), this_process(), 1, 101);
  Database(file(), Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute("PRAGMA ignore_check_constraints = ON; UPDATE runs SET status = 'dome'");
  try {
    claim(store, 0);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(),
                 "run 1 is damaged: its status is unknown; gpscl runs rm 1 removes it");
  }
}

// The indexes still have what the row was.
TEST_F(StoreTest, ARowThatWasDamagedInTheFileCanBeRemoved) {
  {
    Store store = open();
    RunResult made = result();
    for (made.seed = 0; made.seed < 3; ++made.seed) store.record_done(made, this_process(), 1, 101);
  }
  std::string bytes = read_file(file());
  const std::size_t at = bytes.find(spec_hash(spec()) + "{\"");  // the spec follows its hash
  ASSERT_NE(at, std::string::npos);
  bytes[at + 8] = 'x';
  std::ofstream(file(), std::ios::binary) << bytes;
  Store store = open();
  std::vector<StoredRun> runs = store.find(RunFilter());
  ASSERT_EQ(runs.size(), 3u);
  std::erase_if(runs, [](const StoredRun& run) { return run.damage.empty(); });
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs.front().damage, "its spec is not JSON");
  EXPECT_EQ(store.remove({{runs.front().id}, "", "", "", {}}), 1u);
  EXPECT_EQ(store.find(RunFilter()).size(), 2u);
  EXPECT_EQ(claim(store, runs.front().seed), Claim::granted) << "no trace is left";
}

TEST_F(StoreTest, RefusesAResultThatIsNotThatOfItsRow) {
  Store store = open();
  store.record_done(result(), this_process(), 1, 101);
  const auto refusal = [&](const std::function<void(StoredRun&)>& change) -> std::string {
    StoredRun run = store.find(RunFilter(), /*with_results=*/true).front();
    change(run);
    EXPECT_EQ(damage_line(run), "") << "the row alone says nothing";
    try {
      result_from(run);
    } catch (const DamagedResult& error) {
      EXPECT_EQ(damage_line(run, /*with_result=*/true), error.what());
      return error.what();
    }
    return "(read)";
  };
  EXPECT_EQ(refusal([](StoredRun&) {}), "(read)");
  EXPECT_THAT(refusal([](StoredRun& run) { run.seed = 7; }), HasSubstr("that of another run"));
  EXPECT_THAT(refusal([](StoredRun& run) { run.spec = to_json(Spec()).dump(); }),
              HasSubstr("that of another run"));
  EXPECT_THAT(refusal([](StoredRun& run) { run.accuracy = 0.0625; }), HasSubstr("its accuracy"));
  EXPECT_THAT(refusal([](StoredRun& run) { run.result.pop_back(); }), HasSubstr("not JSON"));
  EXPECT_EQ(refusal([](StoredRun& run) {
              auto json = nlohmann::json::parse(run.result);
              json["steps"] = json.at("steps").get<int>() + 1;
              run.result = json.dump();
            }),
            "run 1 is damaged: its checksum does not match; if you changed it on purpose, remove "
            "its key 'checksum'; gpscl runs rm 1 removes it");
  EXPECT_THAT(refusal([](StoredRun& run) { run.result.clear(); }), HasSubstr("not JSON"));
}

TEST_F(StoreTest, NoticesDamageInTheMiddle) {
  {
    Store store = open();
    for (std::uint64_t seed = 0; seed < 200; ++seed) claim(store, seed);
  }
  std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(4096);
  bytes << std::string(std::filesystem::file_size(file()) - 4096, '\x7f');
  bytes.close();
  EXPECT_THROW(open().find(RunFilter()), DataError);
}

}  // namespace store_test
}  // namespace gps
