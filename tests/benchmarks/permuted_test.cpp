#include "gps/benchmarks/permuted.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "support/rows_of.h"
#include "support/tiny_data.h"

namespace gps {
namespace permuted_test {

using Bytes = std::vector<std::uint8_t>;
using testing::class_counts;
using testing::ids;
using testing::image;

// Images in which pixel p has the value p + offset, so that an image shows how it was permuted.
Dataset numbered(std::uint8_t offset, std::size_t count) {
  Bytes bytes(36 * count);
  for (std::size_t p = 0; p < bytes.size(); ++p)
    bytes[p] = static_cast<std::uint8_t>(p % 36 + offset);
  return {ImageShape{1, 6, 6}, bytes, std::vector<Label>(count, 0), 1};
}

// Where each pixel of a numbered image came from.
Bytes origin(const Dataset& data, std::uint8_t offset) {
  Bytes bytes = image(data, 0);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(byte - offset);
  return bytes;
}

PermutedBenchmark numbered_stream(std::uint64_t seed) {
  return {{numbered(1, 3), numbered(100, 2)}, {.tasks = 6}, Rng(seed)};
}

PermutedBenchmark tiny_stream(BenchmarkOptions options, std::uint64_t seed = 1) {
  return {{testing::tiny_dataset(4, 30, 1), testing::tiny_dataset(4, 20, 2)},
          std::move(options),
          Rng(seed)};
}

TEST(PermutedBenchmark, TellsWhatItIs) {
  const PermutedBenchmark stream = tiny_stream({.tasks = 7});
  EXPECT_EQ(stream.tasks(), 7);
  EXPECT_EQ(stream.classes(), 4);
  EXPECT_EQ(stream.shape(), (ImageShape{1, 6, 6}));
  EXPECT_EQ(stream.task(3).number, 3);
}

TEST(PermutedBenchmark, StartsWithTheDataAsItIs) {
  const Dataset data = testing::tiny_dataset(4, 30, 1);
  const Dataset first = tiny_stream({}).task(1).train;
  ASSERT_EQ(first.size(), data.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(image(first, i), image(data, first.id(i)));
    EXPECT_EQ(first.label(i), data.label(first.id(i)));
  }
  const Dataset test = tiny_stream({}).test(1);
  for (std::size_t i = 0; i < test.size(); ++i)
    EXPECT_EQ(image(test, i), image(testing::tiny_dataset(4, 20, 2), i));
}

TEST(PermutedBenchmark, PermutesEveryLaterTaskInAWayOfItsOwn) {
  const PermutedBenchmark stream = numbered_stream(1);
  std::set<Bytes> origins;
  for (int i = 1; i <= 6; ++i) {
    Bytes from = origin(stream.task(i).train, 1);
    origins.insert(from);
    std::sort(from.begin(), from.end());
    for (std::size_t p = 0; p < 36; ++p) EXPECT_EQ(from[p], p);
  }
  EXPECT_EQ(origins.size(), 6u);
}

TEST(PermutedBenchmark, PermutesAllTrainingAndTestImagesOfATaskAlike) {
  const PermutedBenchmark stream = numbered_stream(1);
  for (int i = 1; i <= 6; ++i) {
    const Dataset train = stream.task(i).train;
    EXPECT_EQ(image(train, 0), image(train, 2));
    EXPECT_EQ(origin(train, 1), origin(stream.test(i), 100));
  }
}

TEST(PermutedBenchmark, KeepsLabels) {
  const Dataset data = testing::tiny_dataset(4, 30, 1);
  const Dataset train = tiny_stream({}).task(3).train;
  for (std::size_t i = 0; i < train.size(); ++i) EXPECT_EQ(train.label(i), data.label(train.id(i)));
}

TEST(PermutedBenchmark, GivesTheSameTasksForTheSameSeedInWhateverOrderTheyAreAskedFor) {
  const PermutedBenchmark one = tiny_stream({.examples_per_task = 20});
  const PermutedBenchmark other = tiny_stream({.examples_per_task = 20});
  const Dataset second = one.task(2).train;
  const Dataset third = one.task(3).train;
  const Dataset third_again = other.task(3).train;
  const Dataset second_again = other.task(2).train;
  EXPECT_EQ(ids(second), ids(second_again));
  EXPECT_EQ(ids(third), ids(third_again));
  EXPECT_EQ(image(second, 5), image(second_again, 5));
  EXPECT_EQ(image(third, 5), image(third_again, 5));
}

TEST(PermutedBenchmark, GivesOtherTasksForAnotherSeed) {
  EXPECT_NE(origin(numbered_stream(1).task(2).train, 1),
            origin(numbered_stream(2).task(2).train, 1));
  EXPECT_NE(ids(tiny_stream({.examples_per_task = 20}, 1).task(1).train),
            ids(tiny_stream({.examples_per_task = 20}, 2).task(1).train));
}

TEST(PermutedBenchmark, DrawsTheExamplesOfEachTaskAnew) {
  const PermutedBenchmark stream = tiny_stream({.examples_per_task = 20});
  const auto first = ids(stream.task(1).train);
  const auto second = ids(stream.task(2).train);
  EXPECT_EQ(first.size(), 20u);
  EXPECT_EQ(second.size(), 20u);
  EXPECT_NE(first, second);
  EXPECT_EQ(tiny_stream({.examples_per_task = 500}).task(1).train.size(), 120u);
}

// The permutation of a task does not depend on how many examples it has.
TEST(PermutedBenchmark, PermutesFewExamplesAsItPermutesAll) {
  const Dataset all = tiny_stream({}).task(2).train;
  const Dataset few = tiny_stream({.examples_per_task = 5, .imbalance = 2}).task(2).train;
  std::map<std::uint32_t, Bytes> images;
  for (std::size_t i = 0; i < all.size(); ++i) images[all.id(i)] = image(all, i);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(image(few, i), images.at(few.id(i)));
}

// 30 times 27^(-k/3): 30, 10, 3.3, 1.1.
TEST(PermutedBenchmark, WithImbalanceGivesEachTaskLongTailedClassesInAnOrderOfItsOwn) {
  const PermutedBenchmark stream = tiny_stream({.tasks = 10, .imbalance = 27});
  std::set<std::vector<std::size_t>> orders;
  for (int i = 1; i <= 10; ++i) {
    auto counts = class_counts(stream.task(i).train);
    orders.insert(counts);
    std::sort(counts.begin(), counts.end());
    EXPECT_THAT(counts, ::testing::ElementsAre(1, 3, 10, 30));
  }
  // Ten draws among 24 orders: fewer than four different ones have p < 1e-5.
  EXPECT_GE(orders.size(), 4u);
}

TEST(PermutedBenchmark, LeavesTestSetsWhole) {
  const PermutedBenchmark stream = tiny_stream({.examples_per_task = 10, .imbalance = 27});
  for (int i = 1; i <= 3; ++i) {
    EXPECT_THAT(class_counts(stream.test(i)), ::testing::ElementsAre(20, 20, 20, 20));
  }
}

}  // namespace permuted_test
}  // namespace gps
