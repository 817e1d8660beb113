#include "gps/deployment/stored/stored_images.h"

#include <gmock/gmock.h>

#include <map>

#include "deployment/weeks.h"
#include "gps/core/hash.h"
#include "support/temporary_folder.h"

namespace gps {
namespace stored_images_test {

using ::testing::ElementsAre;
using testing::week;

void learn_week(LearnState& state, int number) {
  Executor executor(1);
  NewTask task = week(number, 2 * number - 2, 2 * number);
  task.when = 1000 * number;
  learn(state, task, executor);
}

TEST(ImageHash, IsSixteenDigits) {
  EXPECT_EQ(hash_text(0xabc), "0000000000000abc");
  EXPECT_EQ(parse_hash("0000000000000abc"), 0xabcu);
  for (const char* other : {"", "abc", "0000000000000abg", "0000000000000abc0", "-000000000000abc"})
    EXPECT_FALSE(parse_hash(other)) << other;
}

TEST(StoredImages, AreThoseOfTheMemoryWithTheHashOfTheirPixels) {
  LearnState state(testing::tiny_options("er", "mixed"));
  learn_week(state, 1);
  const auto images = stored_images(state);
  ASSERT_EQ(images.size(), state.memory.size() + state.tests.size());
  const Dataset original = week(1, 0, 2).train;
  std::map<std::uint64_t, Label> labels;
  std::vector<std::uint8_t> scratch(original.shape().bytes());
  for (std::size_t row = 0; row < original.size(); ++row)
    labels[hash64(std::span<const std::uint8_t>(original.image(row, scratch), scratch.size()))] =
        original.label(row);
  for (const StoredImageRecord& image : images) {
    ASSERT_TRUE(labels.contains(image.hash));
    EXPECT_EQ(labels[image.hash], image.label);
    EXPECT_EQ(hash64(pixels_of(state, image)), image.hash);
    EXPECT_EQ(image.when, 1000);
  }
}

TEST(StoredImages, KnowTheirTaskAfterTasksWereMerged) {
  LearnState state(testing::tiny_options("er", "ring-full", /*memory=*/20));
  std::map<std::uint64_t, int> expected;
  for (int number = 1; number <= 5; ++number) {
    learn_week(state, number);
    const Dataset original = week(number, 2 * number - 2, 2 * number).train;
    std::vector<std::uint8_t> scratch(original.shape().bytes());
    for (std::size_t row = 0; row < original.size(); ++row)
      expected.emplace(
          hash64(std::span<const std::uint8_t>(original.image(row, scratch), scratch.size())),
          number);
  }
  bool is_merged = false;
  for (const StoredImageRecord& image : stored_images(state)) {
    EXPECT_EQ(image.task, expected.at(image.hash));
    EXPECT_EQ(image.when, 1000 * image.task);
    is_merged =
        is_merged || (image.role == Role::replay && state.memory[image.slot].task != image.task);
  }
  EXPECT_TRUE(is_merged) << "or nothing was shown";
}

TEST(StoredImages, KeepTheirTaskInTheFile) {
  LearnState state(testing::tiny_options("er", "mixed"));
  learn_week(state, 1);
  learn_week(state, 2);
  state.erased.add({7, 9});
  const LearnState read = state_from(to_bytes(state), "");
  EXPECT_EQ(read.first_seen.size(), state.first_seen.size());
  EXPECT_TRUE(read.erased.contains(7) && read.erased.contains(9));
  const LearnState old = state_from(to_bytes(state, 5), "", 5);
  EXPECT_EQ(old.erased.size(), 0u);
  const auto images = stored_images(state);
  const auto of_old = stored_images(old);
  ASSERT_EQ(of_old.size(), images.size());
  for (std::size_t k = 0; k < images.size(); ++k) EXPECT_EQ(of_old[k].task, images[k].task);
}

TEST(StoredImages, OlderThanATimeAreThoseOfEarlierTasks) {
  LearnState state(testing::tiny_options("er", "mixed"));
  learn_week(state, 1);
  learn_week(state, 2);
  EXPECT_TRUE(images_before(state, 1000).empty());
  EXPECT_EQ(images_before(state, 1001).size(), state.memory.count(1) + state.tests.count(1));
  EXPECT_EQ(images_before(state, 2001).size(), state.memory.size() + state.tests.size());
  state.tasks[0].when = 0;
  EXPECT_TRUE(images_before(state, 1001).empty()) << "nobody knows when they came";
}

TEST(SavedState, WithWrongTasksOrTombstonesIsRefused) {
  LearnState state(testing::tiny_options("er", "mixed"));
  learn_week(state, 1);
  std::string bytes = to_bytes(state);
  // The last 8 bytes are the number of tombstones; those before the section's name are tasks.
  const std::size_t section = bytes.rfind("erased");
  ASSERT_NE(section, std::string::npos);
  std::string wrong = bytes;
  wrong[section - 8 - 4] = 9;  // the task of the last image
  EXPECT_THROW(state_from(wrong, ""), DataError);
  const std::string two("\2\0\0\0\0\0\0\0", 8);
  wrong = bytes.substr(0, bytes.size() - 8) + two + std::string(16, 'x');
  EXPECT_THROW(state_from(wrong, ""), DataError) << "the same one twice";
}

}  // namespace stored_images_test
}  // namespace gps
