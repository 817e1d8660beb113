// `gpscl learn` is killed a hundred times at random moments in which it changes
// files, while it learns, refuses, erases and goes back: the state is the old
// one or the new one, the log is whole, and no image that was erased is in any
// file. (At every system call, in the library: tests/deployment/.)
#include <fcntl.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "apps/week_folders.h"
#include "gps/core/files/files.h"
#include "gps/core/rng.h"
#include "support/json_schema.h"
#include "support/temporary_folder.h"
#include "support/traced_child.h"

namespace gps {
namespace learn_kills_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::gpscl;
using ::testing::IsEmpty;
using testing::lines_of;
using testing::Outcome;

constexpr int kKillsEach = 25;  // of four commands

bool changes_files(long call) {
  switch (call) {
    case SYS_write:
    case SYS_fsync:
    case SYS_ftruncate:
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_mkdir:
      return true;
    default:
      return false;
  }
}

class LearnKills : public ::testing::Test {
 protected:
  Outcome call(const std::vector<std::string>& arguments) const {
    return gpscl(arguments, {.folder = folder_.path()});
  }
  void expect_done(const std::vector<std::string>& arguments) const {
    const Outcome outcome = call(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }

  // Runs gpscl, and kills it before the call of this number that changes files.
  // Returns how many were made.
  std::size_t killed_at(const std::vector<std::string>& arguments, std::size_t last) const {
    std::vector<std::string> words = {GPSCL_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::size_t made = 0;
    testing::trace_child(
        [&] {
          const int nowhere = open("/dev/null", O_RDWR);
          dup2(nowhere, STDOUT_FILENO);
          dup2(nowhere, STDERR_FILENO);
          if (chdir(folder_.path().c_str()) == 0) execv(argv[0], argv.data());
          _exit(127);
        },
        [&] { return made++ < last; }, changes_files);
    return made;
  }

  // The pixels of an image of week1 (week_folders.h), as they lie in a state.
  static std::string pixels_of(std::size_t row) {
    const Dataset data = testing::tiny_dataset(std::vector<std::size_t>{20, 20}, 1, 8);
    const std::uint8_t* const image = data.image(row, {});
    return {reinterpret_cast<const char*>(image), 64};
  }
  static std::string file_of(std::size_t row) {
    const Dataset data = testing::tiny_dataset(std::vector<std::size_t>{20, 20}, 1, 8);
    return fmt::format("week1/class{}/{:03}.png", data.label(row), row);
  }
  bool has_bytes(const std::string& pixels) const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "state")) {
      if (read_file(entry.path()).find(pixels) != std::string::npos) return true;
    }
    return false;
  }

  // Two versions of two tasks, without the first image of week1; then a
  // candidate.
  void make_state() {
    testing::write_weeks(folder_.path(), 3);
    expect_done({"learn", "state", "week1", "--memory", "100", "--hidden", "16", "--epochs", "2",
                 "--policy", "ring-full", "--accept"});
    expect_done({"learn", "state", "week2", "--accept"});
    ASSERT_TRUE(has_bytes(pixels_of(0)));
    expect_done({"learn", "state", "--erase", file_of(0)});
    ASSERT_FALSE(has_bytes(pixels_of(0)));
    ASSERT_TRUE(has_bytes(pixels_of(1)));
    // Week 3 brings the erased image again.
    fs::create_directories(folder_.path() / "week3" / "class0");
    fs::copy_file(folder_.path() / file_of(0), folder_.path() / "week3" / "class0" / "0.png");
    fs::copy_file(folder_.path() / file_of(1), folder_.path() / "week3" / "class0" / "1.png");
    fs::copy(folder_.path() / "state", folder_.path() / "saved");
  }
  void restore() const {
    fs::remove_all(folder_.path() / "state");
    fs::copy(folder_.path() / "saved", folder_.path() / "state");
  }

  json status() const {
    const Outcome outcome = call({"learn", "state", "--status", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    json all = json::parse(outcome.out);
    for (const char* key : {"folder_bytes", "candidate", "bytes"}) all.erase(key);
    return all;
  }

  // The log is whole, and its last change is what there is.
  void expect_log_tells(int version) const {
    static const testing::JsonSchema schema(
        json::parse(read_file(fs::path(GPSCL_SOURCE_DIR) / "docs/learn.schema.json")));
    json newest;
    json before;
    std::string previous;
    for (const std::string& text : lines_of(read_file(folder_.path() / "state" / "log.jsonl"))) {
      const json line = json::parse(text);
      EXPECT_THAT(schema.problems(line, "log_line"), IsEmpty()) << text;
      EXPECT_EQ(line.at("previous"), previous);
      previous = line.at("checksum");
      if (line.at("event") == "undone") {
        newest = before;
      } else if (line.contains("version")) {
        before = newest;
        newest = line;
      }
    }
    EXPECT_EQ(newest.at("version"), version);
    const fs::path file = folder_.path() / "state" / fmt::format("{:06}.state", version);
    EXPECT_EQ(newest.at("version_checksum"), fmt::format("{:08x}", checksum(read_file(file))));
  }

  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_F(LearnKills, AHundredAtRandomMomentsLeaveTheOldStateOrTheNewOne) {
  if (!testing::can_trace())
    GTEST_SKIP() << testing::not_traced("states of a program that is killed a hundred times");
  make_state();
  const json old_status = status();
  const std::vector<std::vector<std::string>> commands = {
      {"learn", "state", "week3", "--jobs", "1", "--accept"},
      {"learn", "state", "week3", "--jobs", "1", "--require-accuracy", "1", "--strict", "--lr",
       "1e-30"},
      {"learn", "state", "--erase", file_of(1), "--jobs", "1"},
      {"learn", "state", "--rollback"},
  };
  Rng rng = Rng(3).fork("kills");
  int kills = 0;
  for (const std::vector<std::string>& command : commands) {
    SCOPED_TRACE(join(command, " "));
    const bool erases = command[2] == "--erase";
    restore();
    const std::size_t calls = killed_at(command, std::size_t{1} << 40);
    const json new_status = status();
    std::size_t old_ones = 0;
    std::size_t new_ones = 0;
    for (int kill = 0; kill < kKillsEach; ++kill, ++kills) {
      restore();
      // The first ones at the very beginning and at the very end.
      const std::size_t call_number = kill == 0 ? 0 : kill == 1 ? calls - 1 : rng.index(calls);
      SCOPED_TRACE(fmt::format("killed before call {} of {}", call_number, calls));
      killed_at(command, call_number);
      const json left = status();
      EXPECT_TRUE(left == old_status || left == new_status) << left.dump(1);
      EXPECT_FALSE(has_bytes(pixels_of(0))) << "it was erased before";

      // The next call, which changes nothing, settles what is left over.
      expect_done({"learn", "state", "--keep-days", "0"});
      const json settled = status();
      EXPECT_TRUE(settled == old_status || settled == new_status) << settled.dump(1);
      (settled == old_status ? old_ones : new_ones) += 1;
      expect_log_tells(settled.at("version"));
      EXPECT_FALSE(has_bytes(pixels_of(0)));
      if (erases) {
        EXPECT_EQ(has_bytes(pixels_of(1)), settled == old_status);
      }
      for (const auto& entry : fs::directory_iterator(folder_.path() / "state"))
        EXPECT_NE(entry.path().extension(), ".tmp") << entry.path() << " is left over";
    }
    EXPECT_GT(old_ones, 0u);
    if (old_status != new_status) {
      EXPECT_GT(new_ones, 0u);
    }
  }
  EXPECT_EQ(kills, 100);
}

}  // namespace learn_kills_test
}  // namespace gps
