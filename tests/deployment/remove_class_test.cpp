#include "gps/deployment/remove_class.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "deployment/weeks.h"
#include "support/temporary_folder.h"
#include "support/traced_child.h"

namespace gps {
namespace remove_class_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::week;

class RemoveClassForGood : public ::testing::Test {
 protected:
  void learn_weeks(int weeks, int keep) {
    Executor executor(1);
    for (int k = 1; k <= weeks; ++k) {
      LearnState state =
          folder_.has_state() ? folder_.load() : LearnState(testing::tiny_options("er", "mixed"));
      state.options.keep = keep;
      learn(state, week(k), executor);
      folder_.commit(state);
    }
  }
  std::vector<int> versions_with(const std::string& name) const {
    std::vector<int> found;
    for (const int version : folder_.versions()) {
      if (has_class(folder_.load(version), name)) found.push_back(version);
    }
    return found;
  }

  testing::TemporaryFolder temporary_{testing::in_memory()};
  StateFolder folder_{temporary_.path() / "state"};
  StopFlag stop_;
  FileLock lock_ = lock_state(folder_.path(), {}, stop_);
};

TEST_F(RemoveClassForGood, TakesItOutOfEveryKeptVersion) {
  learn_weeks(3, /*keep=*/3);
  EXPECT_THAT(versions_with("class 2"), ElementsAre(2, 3));
  const ClassRemoval removal = remove_class_for_good(folder_, "class 2");
  EXPECT_EQ(removal.version, 4);
  EXPECT_TRUE(removal.is_new);
  EXPECT_GT(removal.images.replayed, 0u);
  EXPECT_THAT(removal.rewritten, ElementsAre(2, 3));
  EXPECT_THAT(removal.untouched, IsEmpty());
  EXPECT_THAT(versions_with("class 2"), IsEmpty());
  EXPECT_EQ(folder_.load(1).classes.size(), 2u) << "it never had it";
  EXPECT_EQ(folder_.rollback(), 3);
  EXPECT_THAT(folder_.load().classes,
              ElementsAre("class 0", "class 1", "class 3", "class 4", "class 5"));
}

TEST_F(RemoveClassForGood, RemovesAVersionThatHasNoOtherClass) {
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "mixed"));
  state.options.keep = 2;
  learn(state, week(1, 0, 1), executor);
  folder_.commit(state);
  learn(state, week(2, 1, 2), executor);
  folder_.commit(state);
  const ClassRemoval removal = remove_class_for_good(folder_, "class 0");
  EXPECT_THAT(removal.removed, ElementsAre(1));
  EXPECT_THAT(removal.rewritten, ElementsAre(2));
  EXPECT_THAT(folder_.versions(), ElementsAre(2, 3));
}

TEST_F(RemoveClassForGood, NamesFilesThatItCannotChange) {
  learn_weeks(2, /*keep=*/3);
  std::ofstream(folder_.file(1), std::ios::binary) << "damaged";
  const ClassRemoval removal = remove_class_for_good(folder_, "class 0");
  EXPECT_THAT(removal.untouched, ElementsAre(HasSubstr("000001.state")));
  EXPECT_THAT(removal.rewritten, ElementsAre(2));
}

TEST_F(RemoveClassForGood, RefusesAClassThatNoVersionHas) {
  learn_weeks(1, /*keep=*/1);
  EXPECT_THROW(remove_class_for_good(folder_, "class 7"), UsageError);
  EXPECT_THAT(folder_.versions(), ElementsAre(1));
}

TEST_F(RemoveClassForGood, KilledAnywhereEveryVersionIsIntactAndASecondCallEndsIt) {
  if (!testing::can_trace())
    GTEST_SKIP() << testing::not_traced("states of a program that is killed while it changes them");
  learn_weeks(2, /*keep=*/3);
  const fs::path saved = temporary_.path() / "saved";
  fs::copy(folder_.path(), saved);
  std::vector<std::size_t> with_it;  // versions, after each kill
  testing::kill_before_each_call(
      [&] {
        fs::remove_all(folder_.path());
        fs::copy(saved, folder_.path());
      },
      [&] { remove_class_for_good(folder_, "class 1"); },
      [&] {
        with_it.push_back(versions_with("class 1").size());
        if (with_it.back() > 0) remove_class_for_good(folder_, "class 1");
        EXPECT_THAT(versions_with("class 1"), IsEmpty());
      });
  ASSERT_FALSE(with_it.empty());
  EXPECT_EQ(with_it.front(), 2u);
  EXPECT_EQ(with_it.back(), 0u);
  EXPECT_TRUE(std::is_sorted(with_it.rbegin(), with_it.rend()));
}

}  // namespace remove_class_test
}  // namespace gps
