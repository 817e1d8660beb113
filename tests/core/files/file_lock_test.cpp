#include "gps/core/files/file_lock.h"

#include <gmock/gmock.h>

#include <fstream>
#include <optional>
#include <stdexcept>

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
