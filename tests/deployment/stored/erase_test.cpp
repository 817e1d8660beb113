#include "gps/deployment/stored/erase.h"

#include <gmock/gmock.h>

#include <fstream>

#include "deployment/stored/stored_bytes.h"
#include "deployment/weeks.h"
#include "gps/deployment/acceptance/candidate.h"
#include "gps/learners/stored_logits.h"
#include "support/temporary_folder.h"
#include "support/traced_child.h"

namespace gps {
namespace erase_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using testing::week;

constexpr std::int64_t kDay = 86'400;

class EraseForGood : public ::testing::Test {
 protected:
  // The classes of week k are new, and it is learnt on day k.
  LearnState next(const LearnOptions& options) {
    Executor executor(1);
    LearnState state = folder_.has_state() ? folder_.load() : LearnState(options);
    const int first = static_cast<int>(state.classes.size());
    NewTask task = week(static_cast<int>(state.tasks.size()) + 1, first, first + 2);
    task.when = static_cast<std::int64_t>(state.tasks.size() + 1) * kDay;
    learn(state, task, executor);
    return state;
  }
  void learn_weeks(int weeks, int keep = 3,
                   LearnOptions options = testing::tiny_options("er", "mixed")) {
    options.keep = keep;
    for (int k = 0; k < weeks; ++k) {
      LearnState state = next(options);
      folder_.commit(state);
    }
  }
  void set_candidate_aside() {
    LearnState state = next({});
    keep_aside(folder_, state, 0, {"too bad"});
  }
  // A stored image of the oldest version, and the forms in which it lies in files.
  StoredImageRecord image(Role role, int version = 1) const {
    const LearnState state = folder_.load(version);
    for (const StoredImageRecord& each : stored_images(state)) {
      if (each.role == role && in_newest(each.hash)) return each;
    }
    ADD_FAILURE() << "no image is in both versions";
    return {};
  }
  bool in_newest(std::uint64_t hash) const {
    const LearnState state = folder_.load();
    for (const StoredImageRecord& each : stored_images(state)) {
      if (each.hash == hash) return true;
    }
    return false;
  }
  std::vector<std::string> forms(const StoredImageRecord& record, int version = 1) const {
    const LearnState state = folder_.load(version);
    return testing::forms_of(pixels_of(state, record), state.memory);
  }
  std::vector<std::string> files_with(const std::vector<std::string>& texts) const {
    return testing::files_with(folder_.path(), texts);
  }

  testing::TemporaryFolder temporary_{testing::in_memory()};
  StateFolder folder_{temporary_.path() / "state"};
  StopFlag stop_;
  FileLock lock_ = lock_state(folder_.path(), {}, stop_);
};

TEST_F(EraseForGood, LeavesNoByteOfAnImageInAnyFile) {
  learn_weeks(2);
  set_candidate_aside();
  for (const Role role : {Role::replay, Role::test}) {
    const StoredImageRecord one = image(role);
    const std::vector<std::string> texts = forms(one);
    EXPECT_THAT(files_with(texts), SizeIs(3)) << "it lies in both versions and in the candidate";
    const Erasure erasure = erase_for_good(folder_, {one.hash});
    EXPECT_EQ(erasure.erased, 1u);
    EXPECT_EQ(erasure.images.replayed, role == Role::replay ? 1u : 0u);
    EXPECT_EQ(erasure.images.tests, role == Role::test ? 1u : 0u);
    EXPECT_THAT(erasure.rewritten, ElementsAre(1, 2));
    EXPECT_TRUE(erasure.is_candidate_rewritten);
    EXPECT_THAT(erasure.untouched, IsEmpty());
    EXPECT_THAT(files_with(texts), IsEmpty());
    EXPECT_THAT(folder_.versions(), ElementsAre(1, 2)) << "there is nothing to go back from";
  }
  ASSERT_TRUE(candidate_of(folder_)) << "it still follows the newest version";
  LearnState candidate = load_candidate(folder_);
  EXPECT_EQ(candidate.erased.size(), 2u);
}

TEST_F(EraseForGood, FindsImagesThatACodecHasChanged) {
  LearnOptions options = testing::tiny_options("er", "mixed");
  options.method.codec = "bits:2";
  settle(options);
  learn_weeks(2, 3, options);
  // By the hash of the file: what week 1 brought, as it was.
  const Dataset original = week(1, 0, 2).train;
  std::vector<std::uint8_t> scratch(original.shape().bytes());
  std::size_t erased = 0;
  for (std::size_t row = 0; row < original.size(); ++row) {
    const std::span<const std::uint8_t> pixels(original.image(row, scratch), scratch.size());
    const LearnState state = folder_.load();
    const auto hashes = hashes_of(pixels, state.memory);
    EXPECT_EQ(hashes.size(), 2u);
    const std::vector<std::string> texts = testing::forms_of(pixels, state.memory);
    const bool was_stored = !files_with(texts).empty();
    erased += erase_for_good(folder_, in_order(hashes)).erased;
    if (was_stored) {
      EXPECT_THAT(files_with(texts), IsEmpty());
    }
  }
  EXPECT_GT(erased, 5u);
  EXPECT_EQ(folder_.load().memory.count(1), 0u) << "all that week 1 brought";
}

TEST_F(EraseForGood, RefusesToLearnTheImageAgain) {
  learn_weeks(1);
  const StoredImageRecord one = image(Role::replay);
  const std::vector<std::string> texts = forms(one);
  erase_for_good(folder_, {one.hash});
  LearnState state = folder_.load();
  Executor executor(1);
  NewTask again = week(1, 0, 2);
  again.when = 5 * kDay;
  const LearnReport report = learn(state, again, executor);
  EXPECT_EQ(report.erased, 1u);
  EXPECT_EQ(learnt_as(state, again), 2) << "the data is known by all of its images";
  folder_.commit(state);
  EXPECT_THAT(files_with(texts), IsEmpty());
  EXPECT_EQ(folder_.rollback(), 1);
  EXPECT_TRUE(folder_.load().erased.contains(one.hash)) << "the tombstone is in every version";
}

TEST_F(EraseForGood, RefusesAlsoWhatNeverWasStored) {
  learn_weeks(1);
  const Dataset other = week(2, 2, 4).train;
  std::vector<std::uint8_t> scratch(other.shape().bytes());
  LearnState state = folder_.load();
  std::vector<std::uint64_t> hashes;
  for (std::size_t row = 0; row < other.size(); ++row)
    hashes.push_back(hashes_of({other.image(row, scratch), scratch.size()}, state.memory).front());
  EXPECT_EQ(erase_for_good(folder_, in_order(hashes)).erased, 0u);
  state = folder_.load();
  Executor executor(1);
  EXPECT_THROW(learn(state, week(2, 2, 4), executor), DataError);
}

TEST_F(EraseForGood, KeepsTheAnswersAndTheRestOfTheMemory) {
  learn_weeks(2);
  LearnState before = folder_.load();
  const StoredImageRecord one = image(Role::replay, 2);
  erase_for_good(folder_, {one.hash});
  LearnState after = folder_.load();
  EXPECT_EQ(after.memory.size() + 1, before.memory.size());
  EXPECT_EQ(after.tests.size(), before.tests.size());
  EXPECT_EQ(network_of(*after.learner).state(), network_of(*before.learner).state());
  Executor executor(1);
  EXPECT_NO_THROW(learn(after, week(3, 4, 6), executor)) << "it goes on learning";
}

TEST_F(EraseForGood, WorksWithEveryPolicyAndLearner) {
  for (const char* policy : {"reservoir", "gradient", "one-batch", "ring-full", "herding"}) {
    SCOPED_TRACE(policy);
    fs::remove_all(folder_.path());
    fs::create_directories(folder_.path());
    learn_weeks(2, 1, testing::tiny_options("er", policy));
    const StoredImageRecord one = stored_images(folder_.load()).front();
    EXPECT_EQ(erase_for_good(folder_, {one.hash}).images.replayed, 1u);
    EXPECT_NO_THROW(learn_weeks(1));
  }
  for (const char* learner : {"der++", "gss", "agem", "icarl"}) {
    SCOPED_TRACE(learner);
    fs::remove_all(folder_.path());
    fs::create_directories(folder_.path());
    learn_weeks(2, 1, testing::tiny_options(learner, "ring-full"));
    const StoredImageRecord one = stored_images(folder_.load()).front();
    EXPECT_EQ(erase_for_good(folder_, {one.hash}).images.replayed, 1u);
    EXPECT_NO_THROW(learn_weeks(1));
  }
}

TEST_F(EraseForGood, IsRefusedWhereALearnerWouldHaveNoImageOfAClass) {
  learn_weeks(1, 1, testing::tiny_options("icarl", "ring-full"));
  std::vector<std::uint64_t> all;
  for (const StoredImageRecord& each : stored_images(folder_.load())) {
    if (each.label == 1) all.push_back(each.hash);
  }
  const std::string before = read_file(folder_.file(1));
  EXPECT_THROW(erase_for_good(folder_, in_order(all)), UsageError);
  EXPECT_TRUE(read_file(folder_.file(1)) == before);
}

TEST_F(EraseForGood, NamesFilesThatItCannotChange) {
  learn_weeks(2);
  std::ofstream(folder_.file(1), std::ios::binary) << "damaged";
  const Erasure erasure = erase_for_good(folder_, {stored_images(folder_.load()).front().hash});
  EXPECT_THAT(erasure.untouched, ElementsAre(HasSubstr("000001.state")));
  EXPECT_THAT(erasure.rewritten, ElementsAre(2));
}

TEST_F(EraseForGood, KilledAnywhereEveryFileIsIntactAndASecondCallEndsIt) {
  if (!testing::can_trace())
    GTEST_SKIP() << testing::not_traced("states of a program that is killed while it erases");
  learn_weeks(2);
  set_candidate_aside();
  const StoredImageRecord one = image(Role::replay);
  const std::vector<std::string> texts = forms(one);
  const fs::path saved = temporary_.path() / "saved";
  fs::copy(folder_.path(), saved);
  std::vector<std::size_t> with_it;  // files, after each kill
  testing::kill_before_each_call(
      [&] {
        fs::remove_all(folder_.path());
        fs::copy(saved, folder_.path());
      },
      [&] { erase_for_good(folder_, {one.hash}); },
      [&] {
        for (const int version : folder_.versions()) EXPECT_NO_THROW(folder_.load(version));
        folder_.clean();  // as the next call does
        with_it.push_back(files_with(texts).size());
        erase_for_good(folder_, {one.hash});
        EXPECT_THAT(files_with(texts), IsEmpty());
        EXPECT_TRUE(candidate_of(folder_)) << "it is not lost";
      });
  EXPECT_EQ(with_it.front(), 3u);
  EXPECT_EQ(with_it.back(), 0u);
  EXPECT_TRUE(std::is_sorted(with_it.rbegin(), with_it.rend()));
}

TEST_F(EraseForGood, LetsOldImagesGoByTheTimeThatItIsTold) {
  learn_weeks(2);  // on days 1 and 2
  EXPECT_EQ(expire_for_good(folder_, 1000 * kDay).erased, 0u) << "nobody asked for it";
  LearnState state = folder_.load();
  state.options.keep_days = 10;
  folder_.commit_change(state);
  const std::vector<std::string> texts = forms(image(Role::replay));
  EXPECT_EQ(expire_for_good(folder_, 11 * kDay).erased, 0u) << "ten days are not more than ten";
  const Erasure erasure = expire_for_good(folder_, 11 * kDay + 1);
  EXPECT_GT(erasure.images.replayed, 0u);
  EXPECT_GT(erasure.images.tests, 0u);
  EXPECT_THAT(files_with(texts), IsEmpty()) << "nor in the earlier versions";
  state = folder_.load();
  for (const StoredImageRecord& each : stored_images(state)) EXPECT_EQ(each.task, 2);
  EXPECT_THAT(stored_images(state), Not(IsEmpty()));
  EXPECT_EQ(state.erased.size(), 0u) << "they may be learnt again";
}

TEST_F(EraseForGood, OldImagesAreNotReplayedWhenItLearns) {
  LearnOptions options = testing::tiny_options("er", "mixed");
  options.keep_days = 1;
  learn_weeks(1, 3, options);
  LearnState state = folder_.load();
  NewTask task = week(2, 2, 4);
  task.when = 3 * kDay;
  Executor executor(1);
  learn(state, task, executor);
  for (const StoredImageRecord& each : stored_images(state)) EXPECT_EQ(each.task, 2);
}

}  // namespace erase_test
}  // namespace gps
