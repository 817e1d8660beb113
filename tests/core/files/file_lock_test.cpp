#include "gps/core/files/file_lock.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <stdexcept>

#include "support/child.h"
#include "support/temporary_folder.h"

namespace gps {
namespace file_lock_test {

TEST(FileLock, MakesItsFolderAndLetsOneIn) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "a" / "b" / "lock";
  const auto give_up = [] { throw std::runtime_error("busy"); };
  {
    const FileLock first(path, give_up);
    EXPECT_THROW(FileLock(path, give_up), std::runtime_error);
  }
  EXPECT_NO_THROW(FileLock(path, give_up));
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(FileLock, IsGivenToWhoWaits) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "lock";
  std::optional<FileLock> first;
  first.emplace(path, [] {});
  int asked = 0;
  const FileLock second(path, [&] {
    if (++asked == 2) first.reset();
  });
  EXPECT_EQ(asked, 2);
}

// In a process of its own, because all of a process has one working folder.
TEST(FileLock, CanLieInTheWorkingFolder) {
  const testing::TemporaryFolder folder;
  const pid_t child = testing::start_child([&] {
    if (chdir(folder.path().c_str()) != 0) _exit(2);
    const FileLock lock("x.lock", [] { _exit(3); });
  });
  EXPECT_EQ(testing::wait_for(child), 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "x.lock"));
}

TEST(FileLock, NamesWhatCannotBeMade) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  try {
    const FileLock lock(folder.path() / "file" / "lock", [] {});
    FAIL();
  } catch (const std::filesystem::filesystem_error& error) {
    EXPECT_EQ(error.path1(), folder.path() / "file");
  }
}

}  // namespace file_lock_test
}  // namespace gps
