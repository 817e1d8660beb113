#include "gps/deployment/state_folder.h"

#include <gmock/gmock.h>

#include <fstream>

#include "deployment/weeks.h"
#include "gps/core/files.h"
#include "support/child.h"
#include "support/temporary_folder.h"

namespace gps {
namespace {

namespace fs = std::filesystem;
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
  StateLock lock_{folder_.path(), {}, stop_};
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
    EXPECT_THAT(complaint(), HasSubstr("--rollback goes back to version 1, which is whole"));
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
  EXPECT_THAT(complaint(), HasSubstr("version 1 is damaged too"));
  EXPECT_THROW(folder_.rollback(), DataError) << "which would lose the little there is";
  EXPECT_THAT(folder_.versions(), ElementsAre(1, 2));
  change_byte(folder_.file(1), 100);
  EXPECT_EQ(folder_.rollback(), 1);
  EXPECT_EQ(complaint(), "");
}

TEST_F(Folder, RemovesWhatAKilledCallLeftBehind) {
  learn_weeks(1);
  std::ofstream(folder_.path() / "000002.state.tmp") << "half";
  EXPECT_EQ(folder_.load().tasks.size(), 1u);
  folder_.clean();
  EXPECT_FALSE(fs::exists(folder_.path() / "000002.state.tmp"));
  EXPECT_THAT(folder_.versions(), ElementsAre(1));
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
    EXPECT_THROW(StateLock(folder_.path(), waits ? wait : std::function<void()>(), stop_),
                 std::runtime_error);
    return told;
  };
  EXPECT_EQ(try_it(false), 0);
  EXPECT_EQ(try_it(true), 1);
}

TEST_F(Folder, ReadsNothingOfANewerFormat) {
  learn_weeks(1);
  change_byte(folder_.file(1), 13);  // the format's second byte
  EXPECT_THAT(complaint(), HasSubstr("newer gpscl"));
}

}  // namespace
}  // namespace gps
