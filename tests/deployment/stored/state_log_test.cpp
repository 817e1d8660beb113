#include "gps/deployment/stored/state_log.h"

#include <gmock/gmock.h>

#include <fstream>

#include "deployment/stored/stored_bytes.h"
#include "deployment/weeks.h"
#include "gps/core/files/files.h"
#include "support/temporary_folder.h"
#include "support/traced_child.h"

namespace gps {
namespace state_log_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::week;

class StateLogTest : public ::testing::Test {
 protected:
  LearnState next() const {
    Executor executor(1);
    LearnState state =
        folder_.has_state() ? folder_.load() : LearnState(testing::tiny_options("er", "mixed"));
    const int first = static_cast<int>(state.classes.size());
    learn(state, week(static_cast<int>(state.tasks.size()) + 1, first, first + 2), executor);
    return state;
  }
  void learn_week() {
    LearnState state = next();
    folder_.commit(state, log_.announcing("learn", {{"task", state.tasks.size()}}));
  }
  std::vector<std::string> events() const {
    std::vector<std::string> found;
    const LogLines log = log_.read();
    EXPECT_THAT(log.damaged, IsEmpty());
    for (const auto& line : log.lines) found.push_back(line.at("event"));
    return found;
  }
  fs::path file() const { return folder_.path() / kLogFile; }

  testing::TemporaryFolder temporary_{testing::in_memory()};
  StateFolder folder_{temporary_.path() / "state"};
  StateLog log_{
      folder_,
      {.user = "ann", .host = "here", .command = "gpscl learn", .folder = "/", .build = "b"},
      [] { return 86'400; }};
  StopFlag stop_;
  FileLock lock_ = lock_state(folder_.path(), {}, stop_);
};

TEST_F(StateLogTest, SaysWhoDidWhatAndWhen) {
  learn_week();
  const auto lines = log_.read().lines;
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].at("when"), "1970-01-02T00:00:00Z");
  EXPECT_EQ(lines[0].at("user"), "ann");
  EXPECT_EQ(lines[0].at("version"), 1);
  EXPECT_EQ(lines[0].at("version_checksum"),
            fmt::format("{:08x}", checksum(read_file(folder_.file(1)))));
  const LogAuthor me = this_process("x");
  EXPECT_FALSE(me.user.empty());
  EXPECT_FALSE(me.build.empty());
}

TEST_F(StateLogTest, SurvivesGoingBack) {
  learn_week();
  learn_week();
  folder_.rollback(log_.announcing("roll back", {}));
  EXPECT_THAT(log_.settle(), IsEmpty());
  learn_week();
  EXPECT_THAT(log_.settle(), IsEmpty());
  EXPECT_THAT(events(), ElementsAre("learn", "learn", "roll back", "learn"));
}

TEST_F(StateLogTest, NoticesChangedAndMissingLines) {
  for (int k = 0; k < 3; ++k) log_.add("fail", {{"error", "e"}});
  const std::string whole = read_file(file());
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    if (whole[at] == '\n') continue;
    std::string changed = whole;
    changed[at] = changed[at] == 'x' ? 'y' : 'x';
    std::ofstream(file(), std::ios::binary) << changed;
    EXPECT_FALSE(log_.read().damaged.empty()) << "byte " << at;
  }
  const std::size_t first = whole.find('\n') + 1;
  const std::size_t second = whole.find('\n', first) + 1;
  std::ofstream(file(), std::ios::binary) << whole.substr(0, first) << whole.substr(second);
  EXPECT_THAT(log_.read().damaged, ElementsAre(2));
  EXPECT_THAT(log_.settle(), ElementsAre(HasSubstr("line 2 is not as it was written")));
}

// With right checksums, but keys that nothing can be done with.
TEST_F(StateLogTest, DoesNotGoByLinesThatSomebodyMade) {
  learn_week();
  const std::vector<std::pair<const char*, nlohmann::json>> made = {
      {"learn", {{"version", "seven"}}},   {"learn", {{"version", 1}, {"version_checksum", 1}}},
      {"erase", {{"hashes", 1}}},          {"erase", {{"hashes", {1, 2}}}},
      {"erase", nlohmann::json::object()}, {"learn", {{"event", 5}}}};
  for (const auto& [event, what] : made) log_.add(event, what);
  EXPECT_THAT(log_.read().lines, ::testing::SizeIs(1));
  EXPECT_THAT(log_.read().damaged, ::testing::SizeIs(made.size()));
  log_.settle();
  log_.settle();
  EXPECT_EQ(folder_.newest(), 1);
  log_.add("fail", {{"error", "e"}});
  EXPECT_THAT(log_.read().lines, ::testing::SizeIs(2));
  EXPECT_THAT(log_.read().damaged, ::testing::SizeIs(made.size())) << "the next one is whole";
}

TEST_F(StateLogTest, RemovesATornLine) {
  learn_week();
  std::ofstream(file(), std::ios::app) << R"({"event":"lea)";
  EXPECT_THAT(log_.read().lines, ::testing::SizeIs(1));
  EXPECT_THAT(log_.settle(), ElementsAre(HasSubstr("the last line was torn")));
  EXPECT_THAT(events(), ElementsAre("learn", "repaired"));
  EXPECT_THAT(log_.settle(), IsEmpty());
}

TEST_F(StateLogTest, SaysThatAnAnnouncedChangeWasNotMade) {
  log_.announcing("learn", {})(1, 99);
  log_.settle();
  EXPECT_THAT(events(), ElementsAre("learn", "undone"));
  learn_week();
  log_.announcing("learn", {})(2, 99);
  log_.settle();
  log_.settle();
  EXPECT_THAT(events(), ElementsAre("learn", "undone", "learn", "learn", "undone"));
  learn_week();
  log_.settle();
  EXPECT_EQ(events().size(), 6u);
}

TEST_F(StateLogTest, FindsVersionsThatNoLineTellsOf) {
  LearnState state = next();
  folder_.commit(state);
  log_.settle();
  log_.settle();
  EXPECT_THAT(events(), ElementsAre("found"));
  EXPECT_EQ(log_.read().lines.back().at("version"), 1);
  state = next();
  folder_.commit(state);
  log_.settle();
  EXPECT_THAT(events(), ElementsAre("found", "found"));
}

TEST_F(StateLogTest, EndsAnErasureThatWasInterrupted) {
  learn_week();
  learn_week();
  const LearnState state = folder_.load();
  const StoredImageRecord image = stored_images(state).front();
  const auto texts = testing::forms_of(pixels_of(state, image), state.memory);
  log_.add("erase", {{"hashes", {hash_text(image.hash)}}});  // and then it was killed
  EXPECT_FALSE(testing::files_with(folder_.path(), texts).empty());
  EXPECT_THAT(log_.settle(),
              ElementsAre(HasSubstr("an erasure that was interrupted is ended now")));
  EXPECT_THAT(testing::files_with(folder_.path(), texts), IsEmpty());
  EXPECT_THAT(log_.settle(), IsEmpty());
  EXPECT_THAT(events(), ElementsAre("learn", "learn", "erase", "erased"));
}

TEST_F(StateLogTest, RefusesAChangeThatItCannotTellOf) {
  learn_week();
  fs::remove(file());
  fs::create_directories(file());
  LearnState state = next();
  EXPECT_THROW(folder_.commit(state, log_.announcing("learn", {})), DataError);
  EXPECT_EQ(folder_.newest(), 1);
  fs::remove(file());
}

// Every change is killed before each of its system calls. Afterwards the log is
// settled, and tells what there is.
TEST_F(StateLogTest, KilledAnywhereItTellsWhatThereIs) {
  if (!testing::can_trace())
    GTEST_SKIP() << testing::not_traced(
        "a log of a program that is killed while it changes a state");
  learn_week();
  learn_week();
  const fs::path saved = temporary_.path() / "saved";
  fs::copy(folder_.path(), saved);
  LearnState third = next();
  const std::uint64_t hash = stored_images(folder_.load()).front().hash;
  const std::vector<std::function<void()>> changes = {
      [&] { folder_.commit(third, log_.announcing("learn", {})); },
      [&] { folder_.rollback(log_.announcing("roll back", {})); },
      [&] { log_.erase({hash}); },
  };
  for (const auto& change : changes) {
    testing::kill_before_each_call(
        [&] {
          fs::remove_all(folder_.path());
          fs::copy(saved, folder_.path());
        },
        change,
        [&] {
          log_.settle();
          EXPECT_THAT(log_.settle(), IsEmpty());
          const LogLines log = log_.read();
          EXPECT_THAT(log.damaged, IsEmpty());
          nlohmann::json newest;  // by the log
          nlohmann::json before;
          for (const auto& line : log.lines) {
            if (line.at("event") == "undone") {
              newest = before;
            } else if (line.contains("version")) {
              before = newest;
              newest = line;
            }
          }
          const int version = folder_.newest();
          EXPECT_EQ(newest.at("version"), version);
          EXPECT_EQ(newest.at("version_checksum"),
                    fmt::format("{:08x}", checksum(read_file(folder_.file(version)))));
        });
  }
}

}  // namespace state_log_test
}  // namespace gps
