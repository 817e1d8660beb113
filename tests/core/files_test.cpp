#include "gps/core/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gps/core/errors.h"
#include "support/temporary_folder.h"

namespace gps {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Files : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

 private:
  testing::TemporaryFolder folder_;
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
              ThrowsMessage<DataError>(HasSubstr("it is there, and no file")));
}

TEST_F(Files, DoNotTakeThePlaceOfDevices) {
  std::filesystem::create_symlink("/dev/null", path("device"));
  EXPECT_THAT([&] { write_file(path("device"), "x"); },
              ThrowsMessage<DataError>(HasSubstr("device: cannot be written: it is there")));
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

TEST(Checksum, IsThatOfTheStandard) {
  EXPECT_EQ(checksum("123456789"), 0xCBF43926u);  // the check value of CRC-32
  EXPECT_EQ(checksum("456789", checksum("123")), checksum("123456789"));
}

}  // namespace
}  // namespace gps
