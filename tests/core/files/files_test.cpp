#include "gps/core/files/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <set>

#include "gps/core/errors.h"
#include "support/child.h"
#include "support/temporary_folder.h"
#include "support/traced_child.h"

namespace gps {
namespace files_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::ThrowsMessage;

class Files : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  std::size_t count() const { return names().size(); }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      found.insert(entry.path().filename().string());
    return found;
  }

 private:
  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_F(Files, GiveBackWhatWasWritten) {
  const std::string bytes("a\0b\n", 4);
  write_file(path("file"), bytes);
  EXPECT_EQ(read_file(path("file")), bytes);
  write_file(path("file"), "other");
  EXPECT_EQ(read_file(path("file")), "other");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, KeepWhatWasThereBeforeIfAsked) {
  write_file(path("file"), "one", path("before"));
  EXPECT_FALSE(std::filesystem::exists(path("before")));
  write_file(path("file"), "two", path("before"));
  write_file(path("file"), "three", path("before"));
  EXPECT_EQ(read_file(path("file")), "three");
  EXPECT_EQ(read_file(path("before")), "two");
}

TEST_F(Files, ThatCannotBeWrittenAreNamedWithTheReason) {
  EXPECT_THAT([&] { write_file(path("none") / "file", "x"); },
              ThrowsMessage<DataError>(
                  AllOf(HasSubstr("none/file"), HasSubstr("No such file or directory"))));
  EXPECT_THAT([&] { read_file(path("none")); },
              ThrowsMessage<DataError>(HasSubstr("No such file or directory")));
}

// Whose reading may wait for ever.
TEST_F(Files, AreNeitherPipesNorDevicesNorFolders) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::filesystem::path& other : {path("pipe"), std::filesystem::path("/dev/zero")}) {
    const auto refusal = ThrowsMessage<DataError>(
        other.string() + ": cannot be read: it is a pipe or a device; expected a file");
    EXPECT_THAT([&] { read_file(other); }, refusal);
    EXPECT_THAT([&] { check_can_be_read(other); }, refusal);
  }
  EXPECT_THAT([&] { read_file(path("")); },
              ThrowsMessage<DataError>(HasSubstr("cannot be read: Is a directory")));
  write_file(path("file"), "x");
  std::filesystem::create_symlink("file", path("link"));
  EXPECT_EQ(read_file(path("link")), "x");
  EXPECT_NO_THROW(check_can_be_read(path("link")));
}

TEST_F(Files, AreKnownToBeWritableBeforeTheyAreWritten) {
  check_can_be_written(path("new"));
  EXPECT_EQ(count(), 0u);
  write_file(path("old"), "kept");
  check_can_be_written(path("old"));
  EXPECT_EQ(read_file(path("old")), "kept");
  EXPECT_EQ(count(), 1u);
  EXPECT_THAT([&] { check_can_be_written(path("none") / "file"); },
              ThrowsMessage<DataError>(
                  AllOf(HasSubstr("none/file"), HasSubstr("No such file or directory"))));
  EXPECT_THAT([&] { check_can_be_written(path("")); },
              ThrowsMessage<DataError>(HasSubstr("it exists and is not a file")));
}

TEST_F(Files, DoNotTakeThePlaceOfDevices) {
  std::filesystem::create_symlink("/dev/null", path("device"));
  EXPECT_THAT([&] { write_file(path("device"), "x"); },
              ThrowsMessage<DataError>(HasSubstr("device: cannot be written: it exists")));
  EXPECT_EQ(std::filesystem::read_symlink(path("device")), "/dev/null");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, ThatCannotReplaceAnotherLeaveNothingBehind) {
  std::filesystem::create_directories(path("file") / "inside");  // no file can take its place
  EXPECT_THROW(write_file(path("file"), "x"), DataError);
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, ThatOthersWriteTakeTheirNameWhenTheyAreWhole) {
  write_file(path("file"), "old");
  write_whole(path("file"), [&](const std::filesystem::path& unfinished) {
    EXPECT_EQ(unfinished.parent_path(), path("file").parent_path());
    write_file(unfinished, "new");
    EXPECT_EQ(read_file(path("file")), "old");
  });
  EXPECT_EQ(read_file(path("file")), "new");
  const auto fail = [](const std::filesystem::path& unfinished) {
    write_file(unfinished, "half");
    throw DataError("no more");
  };
  EXPECT_THROW(write_whole(path("file"), fail), DataError);
  EXPECT_EQ(read_file(path("file")), "new");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, ThatTwoWriteAtOnceAreWholeAndOfTheLastToFinish) {
  write_whole(path("file"), [&](const std::filesystem::path& unfinished) {
    std::ofstream out(unfinished, std::ios::binary);
    out << "the first " << std::flush;
    write_file(path("file"), "the second");
    EXPECT_EQ(read_file(path("file")), "the second");
    out << "and whole";
  });
  EXPECT_EQ(read_file(path("file")), "the first and whole");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, AreNotWrittenThroughLinksInThePlaceOfTemporaryFiles) {
  write_file(path("other"), "kept");
  for (const char* link : {"file.tmp", "file.0123abcd.tmp"}) {
    std::filesystem::create_symlink("other", path(link));
    write_file(path("file"), "new");
    write_whole(path("file"), [&](const std::filesystem::path& unfinished) {
      std::ofstream(unfinished) << "newer";
    });
    check_can_be_written(path("file"));
    EXPECT_EQ(read_file(path("file")), "newer");
    EXPECT_EQ(read_file(path("other")), "kept") << link;
    EXPECT_TRUE(std::filesystem::is_symlink(path(link))) << link;
  }
}

TEST_F(Files, RemoveWhatAKilledProgramLeftOfThemAndNothingElse) {
  const pid_t child = testing::start_child([&] {
    write_whole(path("file"), [](const std::filesystem::path&) { std::raise(SIGKILL); });
  });
  EXPECT_EQ(testing::wait_for(child), -SIGKILL);
  EXPECT_EQ(count(), 1u);
  EXPECT_TRUE(std::filesystem::exists(path("file.tmp")));
  const std::set<std::string> others = {"file.0123abcd.tmp", "file.x.tmp", "a.tmp", "file.0123"};
  for (const std::string& name : others) std::ofstream(path(name)) << "kept";
  write_file(path("file"), "whole");
  std::set<std::string> expected = others;
  expected.insert("file");
  EXPECT_EQ(names(), expected);
}

// Opening a pipe may wait for another process for ever.
TEST_F(Files, AreWrittenBesideAPipeInThePlaceOfATemporaryFile) {
  ASSERT_EQ(mkfifo(path("file.tmp").c_str(), 0600), 0);
  write_file(path("file"), "whole");
  EXPECT_EQ(names(), (std::set<std::string>{"file", "file.tmp"}));
}

TEST_F(Files, MayHaveLongNames) {
  const std::string longest(255, 'x');
  write_file(path(longest), "old");
  write_file(path(longest), "new");
  EXPECT_EQ(read_file(path(longest)), "new");
  EXPECT_EQ(count(), 1u);
}

// After a kill before any of the system calls by which the file is written. Writing the old file
// again removes what the kill left.
TEST_F(Files, KilledWhileTheyAreWrittenAreTheOldOneOrTheNewOneWhole) {
  if (!testing::can_trace())
    GTEST_SKIP() << testing::not_traced("files that are written when the program is killed");
  const std::string old_bytes(100'000, 'o');
  const std::string new_bytes(200'000, 'n');
  const auto write_old = [&] {
    write_file(path("file"), old_bytes);
    EXPECT_THAT(names(), IsSubsetOf({"before", "file"}));
  };
  const auto check_file = [&](std::set<std::string>& left) {
    const std::string bytes = read_file(path("file"));
    EXPECT_TRUE(bytes == old_bytes || bytes == new_bytes) << bytes.size() << " bytes";
    left.insert(bytes.substr(0, 1));
  };
  std::set<std::string> left;
  testing::kill_before_each_call(
      write_old, [&] { write_file(path("file"), new_bytes); }, [&] { check_file(left); });
  EXPECT_THAT(left, ElementsAre("n", "o"));

  const auto write_with = [&](const std::filesystem::path& half) {
    std::ofstream(half, std::ios::binary) << new_bytes;
  };
  left.clear();
  testing::kill_before_each_call(
      write_old, [&] { write_whole(path("file"), write_with); }, [&] { check_file(left); });
  EXPECT_THAT(left, ElementsAre("n", "o"));

  // With the one before it kept, there is a moment at which only that one is there.
  std::set<std::string> both;
  testing::kill_before_each_call(
      [&] {
        write_old();
        write_file(path("before"), "older");
      },
      [&] { write_file(path("file"), new_bytes, path("before")); },
      [&] {
        const bool is_there = std::filesystem::exists(path("file"));
        const std::string before = read_file(path("before"));
        if (is_there) check_file(left);
        EXPECT_TRUE(before == "older" || before == old_bytes) << before.size() << " bytes";
        both.insert((is_there ? read_file(path("file")).substr(0, 1) : "none") + " after " +
                    (before == old_bytes ? "old" : before));
      });
  EXPECT_THAT(both, ElementsAre("n after old", "none after old", "o after older"));
}

TEST(Checksum, IsThatOfTheStandard) {
  EXPECT_EQ(checksum("123456789"), 0xCBF43926u);  // the check value of CRC-32
  EXPECT_EQ(checksum("456789", checksum("123")), checksum("123456789"));
}

}  // namespace files_test
}  // namespace gps
