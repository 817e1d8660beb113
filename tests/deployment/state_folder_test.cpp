#include "gps/deployment/state_folder.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "deployment/weeks.h"
#include "gps/core/files/files.h"
#include "gps/core/files/framed.h"
#include "support/child.h"
#include "support/temporary_folder.h"
#include "support/traced_child.h"

namespace gps {
namespace state_folder_test {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::week;

class Folder : public ::testing::Test {
 protected:
  // Learns and commits `weeks` more weeks.
  void learn_weeks(int weeks, int keep = 1) {
    Executor executor(1);
    for (int k = 0; k < weeks; ++k) {
      LearnState state =
          folder_.has_state() ? folder_.load() : LearnState(testing::tiny_options("er", "mixed"));
      state.options.keep = keep;
      learn(state, week(static_cast<int>(state.tasks.size()) + 1), executor);
      folder_.commit(state);
    }
  }

  static void change_byte(const fs::path& file, std::size_t at) {
    std::string bytes = read_file(file);
    bytes.at(at) = static_cast<char>(bytes.at(at) ^ 1);
    std::ofstream(file, std::ios::binary) << bytes;
  }

  // Writes a version with this format and body, and a right checksum.
  void write_version(int version, std::uint32_t format, const std::string& body) {
    const FileKind kind = {"a state", "gpscl state\n", format, /*checked_from=*/4};
    std::ofstream(folder_.file(version), std::ios::binary) << framed(kind, body);
  }

  std::string complaint() {
    try {
      folder_.load();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

  testing::TemporaryFolder temporary_{testing::in_memory()};
  StateFolder folder_{temporary_.path() / "state"};
  StopFlag stop_;
  FileLock lock_ = lock_state(folder_.path(), {}, stop_);
};

TEST_F(Folder, KeepsOneVersionToGoBackTo) {
  learn_weeks(3);
  EXPECT_THAT(folder_.versions(), ElementsAre(2, 3));
  EXPECT_EQ(folder_.load().tasks.size(), 3u);
  EXPECT_EQ(folder_.rollback(), 2);
  EXPECT_EQ(folder_.load().tasks.size(), 2u);
  EXPECT_THROW(folder_.rollback(), UsageError);
  learn_weeks(1);
  EXPECT_THAT(folder_.versions(), ElementsAre(2, 3));
}

TEST_F(Folder, KeepsNoneForThoseWhoMayNot) {
  learn_weeks(3, /*keep=*/0);
  EXPECT_THAT(folder_.versions(), ElementsAre(3));
}

TEST_F(Folder, ALearntStateIsTheSameWhetherItWasRolledBackOrNot) {
  learn_weeks(2);
  const std::string expected = read_file(folder_.file(2));
  folder_.rollback();
  learn_weeks(1);
  EXPECT_EQ(read_file(folder_.file(2)), expected);
}

TEST_F(Folder, NamesDamageAndSaysWhetherGoingBackHelps) {
  learn_weeks(2);
  const std::string whole = read_file(folder_.file(2));
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    change_byte(folder_.file(2), at);
    EXPECT_THAT(complaint(), HasSubstr("000002.state"));
    EXPECT_THAT(complaint(), HasSubstr("--rollback returns to version 1, which is intact"));
    change_byte(folder_.file(2), at);
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{20}, whole.size() / 2, whole.size() - 1}) {
    fs::resize_file(folder_.file(2), size);
    EXPECT_THAT(complaint(), HasSubstr("damaged"));
    std::ofstream(folder_.file(2), std::ios::binary) << whole;
  }
  change_byte(folder_.file(2), 100);
  change_byte(folder_.file(1), 100);
  EXPECT_THAT(complaint(), HasSubstr("version 1 cannot be used either"));
  EXPECT_THROW(folder_.rollback(), DataError) << "which would lose the little there is";
  EXPECT_THAT(folder_.versions(), ElementsAre(1, 2));
  change_byte(folder_.file(1), 100);
  EXPECT_EQ(folder_.rollback(), 1);
  EXPECT_EQ(complaint(), "");
}

TEST_F(Folder, RemovesWhatAKilledCallLeftBehind) {
  learn_weeks(1);
  std::ofstream(folder_.path() / "000002.state.0123abcd.tmp") << "half";
  EXPECT_EQ(folder_.load().tasks.size(), 1u);
  folder_.clean();
  EXPECT_FALSE(fs::exists(folder_.path() / "000002.state.0123abcd.tmp"));
  EXPECT_THAT(folder_.versions(), ElementsAre(1));
}

TEST_F(Folder, ThatCannotBeReadIsNoEmptyOne) {
  // A link to itself: an error that even root gets.
  fs::create_symlink("loop", temporary_.path() / "loop");
  StateFolder loop(temporary_.path() / "loop");
  EXPECT_THROW(loop.has_state(), DataError);
  EXPECT_THROW(loop.check_is_free(), DataError);
  EXPECT_FALSE(StateFolder(temporary_.path() / "none").has_state());
}

TEST_F(Folder, TakesNoFirstVersionAfterAnother) {
  learn_weeks(1);
  Executor executor(1);
  LearnState other(testing::tiny_options("er", "mixed"));
  learn(other, week(1), executor);
  EXPECT_THROW(folder_.commit(other), DataError);
  EXPECT_THAT(folder_.versions(), ElementsAre(1));
}

TEST_F(Folder, TellsWhichOldVersionItCannotRemove) {
  learn_weeks(2);
  LearnState state = folder_.load();
  state.options.keep = 0;
  fs::remove(folder_.file(1));
  fs::create_directories(folder_.file(1) / "in the way");
  Executor executor(1);
  learn(state, week(3), executor);
  const Committed committed = folder_.commit(state);
  EXPECT_EQ(committed.version, 3);
  ASSERT_EQ(committed.not_removed.size(), 1u);
  EXPECT_THAT(committed.not_removed[0], HasSubstr("000001.state: cannot be removed: "));
  EXPECT_FALSE(fs::exists(folder_.file(2)));
  EXPECT_EQ(folder_.bytes(), fs::file_size(folder_.file(3))) << "the lock is empty";
}

TEST_F(Folder, RefusesAModelThatChangedSinceTheStateBegan) {
  const fs::path model = temporary_.path() / "own.pt";
  std::ofstream(model) << "first";
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "mixed"));
  learn(state, week(1), executor);
  state.options.method.network.model = model.string();
  state.options.method.network.model_fingerprint = fingerprint(model.string());
  std::ofstream(model) << "other";
  try {
    folder_.commit(state);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("own.pt: has changed since this call began"));
  }
  EXPECT_FALSE(folder_.has_state());
  EXPECT_FALSE(fs::exists(folder_.path() / kModelFile));
}

TEST_F(Folder, DoesNotReplaceAnotherModelInItsPlace) {
  const fs::path model = temporary_.path() / "own.pt";
  std::ofstream(model) << "mine";
  fs::create_directories(folder_.path());
  std::ofstream(folder_.path() / kModelFile) << "another";
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "mixed"));
  learn(state, week(1), executor);
  state.options.method.network.model = model.string();
  state.options.method.network.model_fingerprint = fingerprint(model.string());
  try {
    folder_.commit(state);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("model.pt: is another model than " + model.string()));
  }
  EXPECT_FALSE(folder_.has_state());
  EXPECT_EQ(read_file(folder_.path() / kModelFile), "another");
}

// A file may have 100 bytes here: enough for the model, and too few for a state. In a process of
// its own, because all of a process has one limit.
TEST_F(Folder, KeepsNoModelWithoutAFirstVersion) {
  const fs::path model = temporary_.path() / "own.pt";
  std::ofstream(model) << "small";
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "mixed"));
  learn(state, week(1), executor);
  const auto commit_with = [&](const fs::path& own) {
    NetworkOptions& network = state.options.method.network;
    network.model = own.string();
    network.model_fingerprint = fingerprint(own.string());
    return testing::wait_for(testing::start_child([&] {
      const rlimit limit{100, 100};
      std::signal(SIGXFSZ, SIG_IGN);  // an error of write() instead
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
      try {
        folder_.commit(state);
      } catch (const DataError& error) {
        const bool is_told =
            std::string(error.what()).find("there is no state yet") != std::string::npos;
        _exit(is_told ? 3 : 4);
      }
    }));
  };
  EXPECT_EQ(commit_with(model), 3);
  EXPECT_FALSE(folder_.has_state());
  EXPECT_FALSE(fs::exists(folder_.path() / kModelFile));

  // A model that the user has put in that place is not ours to remove.
  fs::copy(model, folder_.path() / kModelFile);
  EXPECT_EQ(commit_with(folder_.path() / kModelFile), 3);
  EXPECT_EQ(read_file(folder_.path() / kModelFile), "small");
}

// `change` is killed before each of its system calls, while the folder has the files of `saved`: it
// leaves `before` tasks up to some call, and `after` tasks from then on.
void expect_change_at_once(const StateFolder& folder, const fs::path& saved, std::size_t before,
                           std::size_t after, const std::function<void()>& change) {
  std::vector<std::size_t> left;  // tasks, after each kill
  testing::kill_before_each_call(
      [&] {
        fs::remove_all(folder.path());
        fs::copy(saved, folder.path());
      },
      change, [&] { left.push_back(folder.load().tasks.size()); });
  ASSERT_FALSE(left.empty());
  EXPECT_EQ(left.front(), before);
  EXPECT_EQ(left.back(), after);
  const auto changed = std::find(left.begin(), left.end(), after);
  EXPECT_THAT(std::vector(left.begin(), changed), Each(before));
  EXPECT_THAT(std::vector(changed, left.end()), Each(after));
}

TEST_F(Folder, KilledWhileItCommitsOrGoesBackIsTheOldOneOrTheNewOne) {
  if (!testing::can_trace())
    GTEST_SKIP() << testing::not_traced("states of a program that is killed while it changes them");
  learn_weeks(1);
  const fs::path saved = temporary_.path() / "saved";
  fs::copy(folder_.path(), saved);
  LearnState next = folder_.load();
  Executor executor(1);
  learn(next, week(2), executor);
  expect_change_at_once(folder_, saved, 1, 2, [&] { folder_.commit(next); });

  fs::remove_all(saved);
  fs::copy(folder_.path(), saved);  // the last child has committed it
  expect_change_at_once(folder_, saved, 2, 1, [&] { folder_.rollback(); });
}

TEST_F(Folder, ReadsStatesOfOlderFormats) {
  learn_weeks(2);
  LearnState newest = folder_.load();
  const std::string expected = to_bytes(newest);
  for (const std::uint32_t format : {1u, 2u, 3u, 4u}) {
    write_version(2, format, to_bytes(newest, format));
    LearnState state = folder_.load();
    ASSERT_EQ(state.tasks.size(), 2u);
    for (std::size_t k = 0; k < 2; ++k) {
      TaskRecord& task = state.tasks[k];
      EXPECT_GT(task.quota, 0u);
      EXPECT_EQ(task.quota, newest.tasks[k].quota);
      EXPECT_GT(task.plan.ring_size, 0u);
      EXPECT_EQ(task.plan, newest.tasks[k].plan);
      EXPECT_EQ(task.data, format == 1 ? "" : newest.tasks[k].data);
      task.data = newest.tasks[k].data;
    }
    EXPECT_EQ(state.trained.size(), state.memory.size()) << "all that it can know";
    state.trained = newest.trained;
    EXPECT_TRUE(to_bytes(state) == expected) << "format " << format;
  }
  learn_weeks(1);
  EXPECT_EQ(folder_.load().tasks.size(), 3u);
}

// Without its classes, labels and name, and with the numbers that stand in no record but this one.
TEST(TaskRecords, OfFormatTwoLieAsVersion010WroteThem) {
  TaskRecord task;
  task.when = 0x11;
  task.examples = 0x22;
  task.new_classes = 0x33;
  task.tested = 0x44;
  task.plan.ring_size = 0x55;
  task.quota = 0x66;
  task.data = "not here";
  Archive archive;
  task.persist(archive, 2);
  std::string bytes;
  const auto put = [&bytes](std::uint64_t value, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k, value >>= 8) bytes.push_back(static_cast<char>(value));
  };
  put(0, 8);  // length of the name
  put(0x11, 8);
  put(0x22, 8);
  put(0, 8);  // number of labels
  put(0x33, 4);
  put(0x44, 8);
  put(0, 16);  // accuracies
  put(0x55, 8);
  put(0x66, 8);
  EXPECT_EQ(archive.bytes(), bytes);
}

TEST_F(Folder, NeitherReadsNorRemovesAStateWithAnUnknownKnob) {
  learn_weeks(2);
  LearnState state = folder_.load();
  std::string body = to_bytes(state);
  const std::size_t at = body.find("ring_size");
  ASSERT_NE(at, std::string::npos);
  body.replace(at, 9, "ring_sort");
  write_version(2, kStateFormat, body);
  EXPECT_THAT(complaint(), HasSubstr("ring_size"));
  body.replace(at, 9, "ring_size");
  const std::string pairs = std::string("\1\0\0\0\0\0\0\0\11\0\0\0\0\0\0\0", 16) + "ring_size";
  ASSERT_EQ(body.substr(at - 16, 25), pairs) << "one pair, whose key has nine letters";
  body[at - 16] = 2;
  body.insert(at - 8, std::string("\3\0\0\0\0\0\0\0", 8) + "age" + std::string(8, '\0'));
  write_version(2, kStateFormat, body);
  EXPECT_THAT(complaint(), HasSubstr("newer gpscl (this gpscl does not know 'age')"));
  EXPECT_THROW(folder_.rollback(), DataError);
  EXPECT_THAT(folder_.versions(), ElementsAre(1, 2));
}

TEST_F(Folder, IsNotMadeAmongOtherThings) {
  EXPECT_NO_THROW(folder_.check_is_free());
  std::ofstream(folder_.path() / "cat.png") << "x";
  EXPECT_THROW(folder_.check_is_free(), UsageError);
  EXPECT_THROW(folder_.load(), UsageError);
}

TEST_F(Folder, LetsOneInAtATime) {
  const auto try_it = [&](bool waits) {
    int told = 0;
    const std::function<void()> wait = [&] {
      ++told;
      stop_.request();
    };
    EXPECT_THROW(lock_state(folder_.path(), waits ? wait : std::function<void()>(), stop_),
                 std::runtime_error);
    return told;
  };
  EXPECT_EQ(try_it(false), 0);
  EXPECT_EQ(try_it(true), 1);
}

TEST_F(Folder, NeitherReadsNorRemovesANewerFormat) {
  learn_weeks(2);
  write_version(2, kStateFormat + 1, "whatever it has");
  EXPECT_THAT(complaint(), HasSubstr("newer gpscl"));
  EXPECT_THROW(folder_.rollback(), DataError);
  EXPECT_THAT(folder_.versions(), ElementsAre(1, 2));
}

TEST_F(Folder, GoesBackWhateverByteOfTheNewestsHeadIsDamaged) {
  learn_weeks(2);
  LearnState state = folder_.load();
  constexpr std::size_t kHead = 12 + 16;  // "gpscl state", a line feed, and the numbers
  for (const std::uint32_t format : {2u, 3u, kStateFormat}) {
    for (std::size_t at = 0; at < kHead; ++at) {
      write_version(2, format, to_bytes(state, format));
      change_byte(folder_.file(2), at);
      SCOPED_TRACE(fmt::format("format {}, byte {}", format, at));
      EXPECT_THAT(complaint(), HasSubstr("--rollback returns to version 1, which is intact"));
      EXPECT_EQ(folder_.rollback(), 1);
    }
  }
}

TEST_F(Folder, GoesBackFromAVersionThatNobodyWrote) {
  learn_weeks(2);
  LearnState state = folder_.load();
  const std::string body = to_bytes(state);
  for (const std::string& other :
       {std::string(), std::string(100, '\xff'), body.substr(0, body.size() / 2), body + "x"}) {
    write_version(2, kStateFormat, other);
    EXPECT_THAT(complaint(), HasSubstr("--rollback returns to version 1, which is intact"));
    EXPECT_EQ(folder_.rollback(), 1);
  }
}

}  // namespace state_folder_test
}  // namespace gps
