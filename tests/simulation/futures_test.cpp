#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "gps/data/transforms.h"
#include "gps/simulation/future.h"
#include "support/tiny_data.h"

namespace gps {
namespace futures_test {

using ::testing::HasSubstr;
using Image = std::vector<std::uint8_t>;

constexpr std::size_t kBytes = 36;

Image image(const Dataset& data, std::size_t row) {
  Image scratch(kBytes);
  const std::uint8_t* bytes = data.image(row, scratch);
  return {bytes, bytes + kBytes};
}

std::size_t row_of(const Dataset& data, std::uint32_t id) {
  std::size_t row = 0;
  while (data.id(row) != id) ++row;
  return row;
}

std::set<std::uint32_t> ids(const Dataset& data) {
  std::set<std::uint32_t> all;
  for (std::size_t row = 0; row < data.size(); ++row) all.insert(data.id(row));
  return all;
}

void expect_same(const Dataset& a, const Dataset& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t row = 0; row < a.size(); ++row) {
    EXPECT_EQ(a.id(row), b.id(row));
    EXPECT_EQ(a.label(row), b.label(row));
    EXPECT_EQ(image(a, row), image(b, row));
  }
}

std::unique_ptr<Benchmark> tiny_benchmark(int tasks) {
  BenchmarkOptions options;
  options.tasks = tasks;
  return testing::TinySource(options).stream(1);
}

// What every future in the catalogue must do, after task 3 of 8.
class FutureContract : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Benchmark> benchmark = tiny_benchmark(8);
  std::unique_ptr<Future> future = make_future(GetParam(), benchmark.get());
  Task now = benchmark->task(3);
};

TEST_P(FutureContract, NumbersItsTasksOnFromNow) {
  for (const int count : {0, 1, 5}) {
    const auto tasks = future->after(now, count, 0, Rng(1));
    ASSERT_EQ(tasks.size(), static_cast<std::size_t>(count));
    for (int k = 1; k <= count; ++k)
      EXPECT_EQ(tasks[static_cast<std::size_t>(k) - 1].number, 3 + k);
  }
}

TEST_P(FutureContract, TakesAsManyExamplesAsAskedFor) {
  for (const auto& [asked, expected] :
       {std::pair<std::size_t, std::size_t>{0, 120}, {1, 1}, {50, 50}, {120, 120}, {1000, 120}}) {
    for (const Task& task : future->after(now, 3, asked, Rng(1))) {
      EXPECT_EQ(task.train.size(), expected);
      EXPECT_EQ(ids(task.train).size(), expected) << "an example was taken twice";
    }
  }
}

TEST_P(FutureContract, ChoosesExamplesAnewForEachTask) {
  const auto tasks = future->after(now, 3, 50, Rng(1));
  EXPECT_NE(ids(tasks[0].train), ids(tasks[1].train));
  EXPECT_NE(ids(tasks[1].train), ids(tasks[2].train));
}

TEST_P(FutureContract, KeepsTheLabels) {
  for (const Task& task : future->after(now, 3, 50, Rng(1))) {
    EXPECT_EQ(task.train.classes(), now.train.classes());
    for (std::size_t row = 0; row < task.train.size(); ++row) {
      EXPECT_EQ(task.train.label(row), now.train.label(row_of(now.train, task.train.id(row))));
    }
  }
}

TEST_P(FutureContract, SaysWhichLabelsItsTasksHave) {
  BenchmarkOptions options;
  options.tasks = 2;
  const auto split = testing::TinySplitSource(options).stream(1);
  const auto tasks =
      make_future(GetParam(), split.get())->after(split->task(1), /*count=*/1, 10, Rng(1));
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].labels, split->labels_of(GetParam() == "offline" ? 2 : 1));
  for (const Task& task : future->after(now, 3, 10, Rng(1))) EXPECT_TRUE(task.labels.empty());
}

TEST_P(FutureContract, MakesOtherImagesOfThem) {
  for (const Task& task : future->after(now, 3, 50, Rng(1))) {
    std::size_t changed = 0;
    for (std::size_t row = 0; row < task.train.size(); ++row) {
      changed += image(task.train, row) != image(now.train, row_of(now.train, task.train.id(row)));
    }
    EXPECT_EQ(changed, task.train.size());
  }
}

TEST_P(FutureContract, IsTheSameForTheSameRng) {
  const auto a = future->after(now, 3, 50, Rng(1));
  const auto b = future->after(now, 3, 50, Rng(1));
  const auto other = future->after(now, 3, 50, Rng(2));
  for (std::size_t k = 0; k < 3; ++k) {
    expect_same(a[k].train, b[k].train);
    EXPECT_NE(ids(a[k].train), ids(other[k].train));
  }
}

TEST_P(FutureContract, DoesNotDependOnHowFarItLooks) {
  const auto few = future->after(now, 2, 50, Rng(1));
  const auto many = future->after(now, 5, 50, Rng(1));
  for (std::size_t k = 0; k < 2; ++k) expect_same(few[k].train, many[k].train);
}

TEST(Future, AugmentsPseudoTasksLikeTheRealOne) {
  Task now = tiny_benchmark(8)->task(3);
  now.augmentation = {.padding = 1, .flips = true};
  for (const auto& future : {make_permutation(), make_rotation(), make_blurring()}) {
    for (const Task& task : future->after(now, 2, 5, Rng(1)))
      EXPECT_EQ(task.augmentation, now.augmentation);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, FutureContract, ::testing::ValuesIn(names(future_catalog())),
                         [](const auto& future) { return future.param; });

TEST(FutureCatalog, NamesTheKnownFuturesWhenOneIsUnknown) {
  const auto benchmark = tiny_benchmark(2);
  try {
    make_future("scrying", benchmark.get());
    FAIL() << "made a future called 'scrying'";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("future 'scrying'"));
    EXPECT_THAT(error.what(), HasSubstr(join(names(future_catalog()))));
  }
}

TEST(Permutation, RearrangesAllImagesOfATaskAlike) {
  const auto benchmark = tiny_benchmark(8);
  const Task now = benchmark->task(1);
  for (const Task& task : make_permutation()->after(now, 3, 0, Rng(1))) {
    // Where could pixel p of the current task have gone? Wherever all images agree.
    for (std::size_t p = 0; p < kBytes; ++p) {
      std::set<std::size_t> places;
      for (std::size_t q = 0; q < kBytes; ++q) places.insert(q);
      for (std::size_t row = 0; row < now.train.size(); ++row) {
        const Image before = image(now.train, row_of(now.train, task.train.id(row)));
        const Image after = image(task.train, row);
        std::erase_if(places, [&](std::size_t q) { return after[q] != before[p]; });
      }
      EXPECT_EQ(places.size(), 1u) << "pixel " << p;
    }
  }
}

TEST(Permutation, OfAnAugmentedTaskCanBeUndoneForAugmenting) {
  Task now = tiny_benchmark(8)->task(1);
  now.augmentation = {.padding = 1, .flips = true};
  for (const Task& task : make_permutation()->after(now, 2, 5, Rng(1))) {
    EXPECT_EQ(task.augmentation, now.augmentation);
    ASSERT_NE(task.arrangement, nullptr);
    for (std::size_t row = 0; row < task.train.size(); ++row) {
      const Image before = image(now.train, row_of(now.train, task.train.id(row)));
      const Image after = image(task.train, row);
      for (std::size_t p = 0; p < kBytes; ++p) EXPECT_EQ(after[(*task.arrangement)[p]], before[p]);
    }
  }
}

TEST(Permutation, KeepsThePixelValuesOfEachImage) {
  const auto benchmark = tiny_benchmark(8);
  const Task now = benchmark->task(2);
  for (const Task& task : make_permutation()->after(now, 3, 50, Rng(1))) {
    for (std::size_t row = 0; row < task.train.size(); ++row) {
      Image after = image(task.train, row);
      Image before = image(now.train, row_of(now.train, task.train.id(row)));
      std::sort(after.begin(), after.end());
      std::sort(before.begin(), before.end());
      EXPECT_EQ(after, before);
    }
  }
}

TEST(Permutation, PermutesEachTaskInItsOwnWay) {
  const auto tasks = make_permutation()->after(tiny_benchmark(8)->task(1), 3, 0, Rng(1));
  EXPECT_NE(image(tasks[0].train, 0), image(tasks[1].train, 0));
  EXPECT_NE(image(tasks[1].train, 0), image(tasks[2].train, 0));
}

TEST(Permutation, IsNotThatOfARealTaskEvenFromTheSameSeed) {
  const auto benchmark = tiny_benchmark(4);
  const Task now = benchmark->task(1);
  for (const Task& task : make_permutation()->after(now, 3, 0, Rng(1))) {
    for (int real = 2; real <= 4; ++real) {
      const Dataset data = benchmark->task(real).train;
      EXPECT_NE(image(task.train, 0), image(data, row_of(data, task.train.id(0))));
    }
  }
}

TEST(Rotation, TurnsTheKthTaskBy15DegreesTimesK) {
  const auto benchmark = tiny_benchmark(8);
  const Task now = benchmark->task(2);
  const auto tasks = make_rotation()->after(now, 7, 0, Rng(1));
  // Six times 15 degrees make a quarter turn, counter-clockwise: the last column comes on top.
  for (std::size_t row = 0; row < 10; ++row) {
    const Image before = image(now.train, row);
    const Image after = image(tasks[5].train, row);
    for (std::size_t y = 0; y < 6; ++y) {
      for (std::size_t x = 0; x < 6; ++x) EXPECT_EQ(after[y * 6 + x], before[x * 6 + (5 - y)]);
    }
  }
  expect_same(tasks[0].train, rotated(now.train, 15));
  expect_same(tasks[6].train, rotated(now.train, 105));
}

TEST(Blurring, SmoothsTheKthTaskMoreThanTheOneBefore) {
  const auto benchmark = tiny_benchmark(8);
  const Task now = benchmark->task(1);
  const auto variation = [](const Dataset& data) {
    double sum = 0;
    for (std::size_t row = 0; row < data.size(); ++row) {
      const Image pixels = image(data, row);
      for (std::size_t p = 1; p < kBytes; ++p) {
        sum += p % 6 == 0 ? 0 : std::abs(int{pixels[p]} - int{pixels[p - 1]});
      }
    }
    return sum;
  };
  double last = variation(now.train);
  for (const Task& task : make_blurring()->after(now, 4, 0, Rng(1))) {
    EXPECT_LT(variation(task.train), last) << "task " << task.number;
    last = variation(task.train);
  }
  expect_same(make_blurring()->after(now, 2, 0, Rng(1))[1].train, blurred(now.train, 1.0));
}

TEST(Offline, HandsOutTheRealTasks) {
  const auto benchmark = tiny_benchmark(5);
  const auto tasks = make_offline(*benchmark)->after(benchmark->task(2), 3, 0, Rng(1));
  ASSERT_EQ(tasks.size(), 3u);
  for (const Task& task : tasks) expect_same(task.train, benchmark->task(task.number).train);
}

TEST(Offline, EndsWithTheStream) {
  const auto benchmark = tiny_benchmark(5);
  const auto future = make_offline(*benchmark);
  EXPECT_EQ(future->after(benchmark->task(4), 10, 0, Rng(1)).size(), 1u);
  EXPECT_TRUE(future->after(benchmark->task(5), 10, 0, Rng(1)).empty());
}

TEST(Future, StoresPseudoTasksAtRandomAndRealOnesHalfAndHalf) {
  const auto benchmark = tiny_benchmark(5);
  for (const std::string& name : names(future_catalog())) {
    EXPECT_EQ(make_future(name, benchmark.get())->plan_share(), name == "offline" ? 0.5 : 0.0);
  }
}

TEST(RandomSubset, ChoosesEveryExampleEquallyOften) {
  const Dataset data = testing::tiny_dataset(2, 5, 1, 4);
  std::vector<int> chosen(10, 0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const Dataset subset = random_subset(data, 3, Rng(seed));
    for (std::size_t row = 0; row < 3; ++row) ++chosen[subset.id(row)];
  }
  // Binomial(4000, 0.3): mean 1200, deviation 29; five of them are 145.
  for (const int count : chosen) EXPECT_NEAR(count, 1200, 145);
}

}  // namespace futures_test
}  // namespace gps
