#include "gps/experiments/planning/imagined_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/tiny_data.h"

namespace gps {
namespace imagined_stream_test {

std::vector<std::uint8_t> pixels_of(const Dataset& data, std::size_t row) {
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  const std::uint8_t* image = data.image(row, scratch);
  return {image, image + scratch.size()};
}

std::vector<std::uint32_t> ids_of(const Dataset& data) {
  std::vector<std::uint32_t> ids;
  for (std::size_t row = 0; row < data.size(); ++row) ids.push_back(data.id(row));
  return ids;
}

class Imagined : public ::testing::Test {
 protected:
  Task first{1, testing::tiny_dataset(4, 30)};
  ImaginedStream stream{first, /*tasks=*/5, /*tested=*/20, Rng(3)};
};

TEST_F(Imagined, BeginsWithTheTaskItself) {
  const Task task = stream.task(1, 1000);
  EXPECT_EQ(task.number, 1);
  EXPECT_EQ(task.train.size(), 100u);
  EXPECT_EQ(stream.examples(), 100u);
  for (std::size_t row = 0; row < task.train.size(); ++row)
    EXPECT_EQ(pixels_of(task.train, row), pixels_of(first.train, task.train.id(row)));
}

TEST_F(Imagined, HoldsBackEquallyManyOfEachClassAndTrainsOnNoneOfThem) {
  std::vector<int> counts(4);
  std::set<std::uint32_t> held;
  for (std::size_t row = 0; row < stream.test(1).size(); ++row) {
    ++counts[stream.test(1).label(row)];
    held.insert(stream.test(1).id(row));
  }
  EXPECT_EQ(counts, std::vector<int>(4, 5));
  for (int k = 1; k <= 5; ++k) {
    for (const std::uint32_t id : ids_of(stream.task(k, 1000).train))
      EXPECT_FALSE(held.contains(id));
  }
}

TEST_F(Imagined, LaterTasksHaveTheSameImagesWithTheirPixelsInAnotherOrder) {
  for (int k = 2; k <= 5; ++k) {
    const Task task = stream.task(k, 1000);
    EXPECT_EQ(task.number, k);
    std::size_t moved = 0;
    for (std::size_t row = 0; row < task.train.size(); ++row) {
      std::vector<std::uint8_t> here = pixels_of(task.train, row);
      std::vector<std::uint8_t> there = pixels_of(first.train, task.train.id(row));
      moved += here == there ? 0 : 1;
      std::sort(here.begin(), here.end());
      std::sort(there.begin(), there.end());
      EXPECT_EQ(here, there);
    }
    EXPECT_EQ(moved, task.train.size());
  }
}

TEST_F(Imagined, TestImagesLookLikeThoseOfTheirTask) {
  // The held-back images of task k are rearranged by the map of task k: find it from one image of
  // the task that has a pixel of its own, and compare.
  for (int k = 1; k <= 5; ++k) {
    const Dataset test = stream.test(k);
    EXPECT_EQ(ids_of(test), ids_of(stream.test(1)));
    std::vector<std::uint8_t> here = pixels_of(test, 0);
    std::vector<std::uint8_t> there = pixels_of(stream.test(1), 0);
    EXPECT_EQ(here == there, k == 1);
    std::sort(here.begin(), here.end());
    std::sort(there.begin(), there.end());
    EXPECT_EQ(here, there);
  }
}

TEST_F(Imagined, AShorterTaskIsTheBeginningOfALongerOne) {
  for (int k = 1; k <= 5; ++k) {
    const auto whole = ids_of(stream.task(k, 1000).train);
    const auto part = ids_of(stream.task(k, 17).train);
    EXPECT_EQ(part, (std::vector(whole.begin(), whole.begin() + 17)));
  }
}

TEST_F(Imagined, DependsOnTheTaskAndTheRandomStreamAlone) {
  const ImaginedStream again(first, 5, 20, Rng(3));
  const ImaginedStream other(first, 5, 20, Rng(4));
  for (int k = 1; k <= 5; ++k) {
    EXPECT_EQ(pixels_of(again.task(k, 9).train, 8), pixels_of(stream.task(k, 9).train, 8));
    EXPECT_NE(ids_of(other.task(k, 9).train), ids_of(stream.task(k, 9).train));
  }
}

}  // namespace imagined_stream_test
}  // namespace gps
