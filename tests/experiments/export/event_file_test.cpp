#include "gps/experiments/export/event_file.h"

#include <gmock/gmock.h>

#include "gps/core/errors.h"
#include "support/event_reader.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace event_file_test {

using ::testing::ElementsAre;
using testing::events_of;
using testing::ReadEvent;

TEST(EventFile, HasTheSumsOfRfc3720) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
}

TEST(EventFile, IsReadBackAsItWasWritten) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "events.out.tfevents.test";
  EventFile file(path, 1000.5);
  file.scalar("a/b", {3, 1001.25}, 0.1);
  file.scalar("large", {std::int64_t{1} << 40, 1002}, -1e30);
  const std::vector<std::uint8_t> grey = {0, 255, 7, 8, 9, 10};
  file.image("grey", {4, 1003}, {2, 3, 1, grey});
  file.image("colour", {5, 1004}, {1, 2, 3, {1, 2, 3, 4, 5, 6}});

  const std::vector<ReadEvent> events = events_of(testing::read_file(path));
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_EQ(events[0].seconds, 1000.5);
  EXPECT_EQ(events[1].tag, "a/b");
  EXPECT_EQ(events[1].step, 3);
  EXPECT_EQ(events[1].seconds, 1001.25);
  EXPECT_EQ(events[1].value, 0.1f);
  EXPECT_EQ(events[2].step, std::int64_t{1} << 40);
  EXPECT_EQ(events[2].value, -1e30f);
  EXPECT_FALSE(events[3].image->is_colour);
  EXPECT_EQ(events[3].image->height, 2);
  EXPECT_EQ(events[3].image->width, 3);
  for (std::size_t k = 0; k < grey.size(); ++k) EXPECT_EQ(events[3].image->pixels[3 * k], grey[k]);
  EXPECT_TRUE(events[4].image->is_colour);
  EXPECT_THAT(events[4].image->pixels, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(EventFile, CanBeReadWhileItIsWritten) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "events.out.tfevents.test";
  EventFile file(path, 1);
  for (int step = 1; step <= 3; ++step) {
    file.scalar("x", {step, 1}, step);
    EXPECT_EQ(events_of(testing::read_file(path)).size(), static_cast<std::size_t>(step) + 1);
  }
}

TEST(EventFile, BeginsAnew) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "events.out.tfevents.test";
  EventFile(path, 1).scalar("x", {1, 1}, 1);
  EventFile(path, 2);
  EXPECT_EQ(events_of(testing::read_file(path)).size(), 1u);
}

TEST(EventFile, NamesAPathThatCannotBeWritten) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(EventFile(folder.path() / "missing" / "events", 1), DataError);
}

TEST(EventFile, NamesAFullDisk) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "not checked: an event file on a full disk; to check: run where there is a "
                    "/dev/full";
  EXPECT_THROW(EventFile("/dev/full", 1), DataError);
}

}  // namespace event_file_test
}  // namespace gps
