#include "gps/deployment/acceptance/candidate.h"

#include <gmock/gmock.h>

#include <fstream>

#include "deployment/weeks.h"
#include "gps/core/files/files.h"
#include "support/temporary_folder.h"
#include "support/traced_child.h"

namespace gps {
namespace candidate_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::week;

class CandidateTest : public ::testing::Test {
 protected:
  // The newest version, and two more classes.
  LearnState next(int number) {
    Executor executor(1);
    LearnState state =
        folder_.has_state() ? folder_.load() : LearnState(testing::tiny_options("er", "mixed"));
    const int first = static_cast<int>(state.classes.size());
    learn(state, week(number, first, first + 2), executor);
    return state;
  }
  void keep(int number) {
    LearnState state = next(number);
    folder_.commit(state);
  }
  void set_aside(int number) {
    LearnState state = next(number);
    keep_aside(folder_, state, 1234, {"too bad", "too slow"});
  }

  testing::TemporaryFolder temporary_{testing::in_memory()};
  StateFolder folder_{temporary_.path() / "state"};
  StopFlag stop_;
  FileLock lock_ = lock_state(folder_.path(), {}, stop_);
};

TEST_F(CandidateTest, IsTheStateThatWasNotKept) {
  keep(1);
  LearnState second = next(2);
  keep_aside(folder_, second, 1234, {"too bad"});
  EXPECT_EQ(folder_.load().tasks.size(), 1u) << "the state is as it was";
  const auto note = candidate_of(folder_);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->made_from, 1);
  EXPECT_EQ(note->when, 1234);
  EXPECT_EQ(note->task, "week2");
  EXPECT_THAT(note->problems, ElementsAre("too bad"));
  LearnState loaded = load_candidate(folder_);
  EXPECT_TRUE(to_bytes(loaded) == to_bytes(second));
  EXPECT_EQ(folder_.commit(loaded).version, 2);
  EXPECT_FALSE(fs::exists(folder_.candidate_file())) << "it is a version now";
}

TEST_F(CandidateTest, MayBeTheFirstVersion) {
  set_aside(1);
  EXPECT_FALSE(folder_.has_state());
  EXPECT_NO_THROW(folder_.check_is_free());
  try {
    folder_.load();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no state, but a candidate"));
  }
  LearnState first = load_candidate(folder_);
  EXPECT_EQ(folder_.commit(first).version, 1);
}

TEST_F(CandidateTest, IsReplacedByTheNext) {
  keep(1);
  set_aside(2);
  set_aside(3);
  EXPECT_EQ(candidate_of(folder_)->task, "week3");
}

TEST_F(CandidateTest, IsOfNoUseOnceTheStateHasChanged) {
  keep(1);
  set_aside(2);
  const std::string bytes = read_file(folder_.candidate_file());
  keep(3);
  EXPECT_FALSE(fs::exists(folder_.candidate_file()));
  // A call that was killed before it removed it:
  std::ofstream(folder_.candidate_file(), std::ios::binary) << bytes;
  EXPECT_FALSE(candidate_of(folder_));
  EXPECT_THROW(load_candidate(folder_), UsageError);
  // The same number again, and another version:
  folder_.rollback();
  LearnState other = folder_.load();
  other.classes.front() = "another name";
  folder_.rewrite(1, other);
  std::ofstream(folder_.candidate_file(), std::ios::binary) << bytes;
  EXPECT_FALSE(candidate_of(folder_));
  EXPECT_THROW(load_candidate(folder_), UsageError);
}

TEST_F(CandidateTest, GoesWithTheVersionThatItWasMadeFrom) {
  keep(1);
  keep(2);
  set_aside(3);
  folder_.rollback();
  EXPECT_FALSE(fs::exists(folder_.candidate_file()));
}

TEST_F(CandidateTest, IsNamedIfItIsDamaged) {
  keep(1);
  set_aside(2);
  std::string bytes = read_file(folder_.candidate_file());
  for (std::size_t at = 0; at < bytes.size(); at += 89) {
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    std::ofstream(folder_.candidate_file(), std::ios::binary) << bytes;
    try {
      candidate_of(folder_);
      ADD_FAILURE() << "byte " << at;
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("candidate.state"));
    }
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
  }
  drop_candidate(folder_);
  EXPECT_FALSE(candidate_of(folder_));
}

TEST_F(CandidateTest, TakesItsCopyOfAModelWithIt) {
  const fs::path model = temporary_.path() / "own.pt";
  std::ofstream(model) << "mine";
  LearnState state = next(1);
  state.options.method.network.model = model.string();
  state.options.method.network.model_fingerprint = fingerprint(model.string());
  keep_aside(folder_, state, 0, {"too bad"});
  EXPECT_TRUE(fs::exists(folder_.path() / kModelFile));
  drop_candidate(folder_);
  EXPECT_FALSE(fs::exists(folder_.path() / kModelFile));
}

TEST_F(CandidateTest, KilledAnywhereTheStateIsAsItWasAndTheCandidateWholeOrNotThere) {
  if (!testing::can_trace())
    GTEST_SKIP() << testing::not_traced(
        "candidates of a program that is killed while it keeps them");
  keep(1);
  const fs::path saved = temporary_.path() / "saved";
  fs::copy(folder_.path(), saved);
  LearnState second = next(2);
  std::vector<bool> is_there;
  testing::kill_before_each_call(
      [&] {
        fs::remove_all(folder_.path());
        fs::copy(saved, folder_.path());
      },
      [&] { keep_aside(folder_, second, 7, {"too bad"}); },
      [&] {
        EXPECT_EQ(folder_.load().tasks.size(), 1u);
        is_there.push_back(candidate_of(folder_).has_value());
      });
  EXPECT_FALSE(is_there.front());
  EXPECT_TRUE(is_there.back());

  // Accepted: it becomes the version, once.
  fs::remove_all(saved);
  fs::copy(folder_.path(), saved);
  std::vector<std::size_t> tasks;
  testing::kill_before_each_call(
      [&] {
        fs::remove_all(folder_.path());
        fs::copy(saved, folder_.path());
      },
      [&] {
        LearnState candidate = load_candidate(folder_);
        folder_.commit(candidate);
      },
      [&] {
        tasks.push_back(folder_.load().tasks.size());
        EXPECT_EQ(candidate_of(folder_).has_value(), tasks.back() == 1);
      });
  EXPECT_EQ(tasks.front(), 1u);
  EXPECT_EQ(tasks.back(), 2u);
}

}  // namespace candidate_test
}  // namespace gps
