#include "gps/data/task.h"

#include <gmock/gmock.h>

namespace gps {
namespace task_test {

using ::testing::ElementsAre;
using Bytes = std::vector<std::uint8_t>;

// Images {1, 2}, {3, 4}, {5, 6} with labels 0, 1, 0.
Dataset three() { return {ImageShape{1, 1, 2}, {1, 2, 3, 4, 5, 6}, {0, 1, 0}, 2}; }

Bytes image(const Batch& batch, std::size_t k) { return {batch.images[k], batch.images[k] + 2}; }

TEST(Batch, GathersTheRowsOfATask) {
  const Task task{4, three()};
  Batch batch;
  batch.gather(task, std::vector<std::uint32_t>{2, 1});
  EXPECT_EQ(batch.size(), 2u);
  EXPECT_EQ(batch.task, 4);
  EXPECT_THAT(batch.labels, ElementsAre(0, 1));
  EXPECT_THAT(batch.ids, ElementsAre(2, 1));
  EXPECT_THAT(image(batch, 0), ElementsAre(5, 6));
  EXPECT_THAT(image(batch, 1), ElementsAre(3, 4));
}

TEST(Batch, GathersRearrangedImagesSideBySide) {
  const Task task{2, three().rearranged({1, 0})};
  Batch batch;
  batch.gather(task, std::vector<std::uint32_t>{0, 1, 2, 0});
  EXPECT_THAT(image(batch, 0), ElementsAre(2, 1));
  EXPECT_THAT(image(batch, 1), ElementsAre(4, 3));
  EXPECT_THAT(image(batch, 2), ElementsAre(6, 5));
  EXPECT_THAT(image(batch, 3), ElementsAre(2, 1));
}

TEST(Batch, TakesIdsFromTheTaskNotFromItsRows) {
  const Task task{1, three().subset(std::vector<std::uint32_t>{2, 1})};
  Batch batch;
  batch.gather(task, std::vector<std::uint32_t>{0});
  EXPECT_THAT(batch.ids, ElementsAre(2));
}

TEST(Batch, ForgetsWhatItHeldBefore) {
  Batch batch;
  batch.gather({1, three()}, std::vector<std::uint32_t>{0, 1, 2});
  const Task next{2, three().rearranged({1, 0})};
  batch.gather(next, std::vector<std::uint32_t>{1});
  EXPECT_EQ(batch.size(), 1u);
  EXPECT_EQ(batch.task, 2);
  EXPECT_THAT(batch.labels, ElementsAre(1));
  EXPECT_THAT(batch.ids, ElementsAre(1));
  EXPECT_THAT(image(batch, 0), ElementsAre(4, 3));
  batch.gather(next, {});
  EXPECT_EQ(batch.size(), 0u);
}

}  // namespace task_test
}  // namespace gps
