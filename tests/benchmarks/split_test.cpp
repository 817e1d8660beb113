#include "gps/benchmarks/split.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "gps/core/errors.h"
#include "support/rows_of.h"
#include "support/tiny_data.h"

namespace gps {
namespace split_test {

using ::testing::AnyOf;
using testing::class_counts;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ids;
using Counts = std::vector<std::size_t>;
using Ids = std::set<std::uint32_t>;

// Six classes of 30 training and 20 test examples.
SplitBenchmark tiny_stream(BenchmarkOptions options, std::uint64_t seed = 1) {
  return {{testing::tiny_dataset(6, 30, 1), testing::tiny_dataset(6, 20, 2)},
          std::move(options),
          Rng(seed)};
}

TEST(SplitBenchmark, TellsWhatItIs) {
  const SplitBenchmark stream = tiny_stream({.tasks = 3});
  EXPECT_EQ(stream.tasks(), 3);
  EXPECT_EQ(stream.classes(), 6);
  EXPECT_EQ(stream.shape(), (ImageShape{1, 6, 6}));
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(stream.task(i).number, i);
    EXPECT_EQ(stream.task(i).labels, stream.labels_of(i));
    EXPECT_EQ(stream.task(i).train.classes(), 6);  // one softmax over all of them
  }
}

TEST(SplitBenchmark, DividesTheClassesInNaturalOrder) {
  const SplitBenchmark three = tiny_stream({.tasks = 3});
  EXPECT_THAT(three.labels_of(1), ElementsAre(0, 1));
  EXPECT_THAT(three.labels_of(2), ElementsAre(2, 3));
  EXPECT_THAT(three.labels_of(3), ElementsAre(4, 5));
  EXPECT_THAT(tiny_stream({.tasks = 2}).labels_of(2), ElementsAre(3, 4, 5));
  EXPECT_THAT(tiny_stream({.tasks = 6}).labels_of(6), ElementsAre(5));
  EXPECT_THAT(tiny_stream({.tasks = 1}).labels_of(1), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(SplitBenchmark, GivesEachTaskAllExamplesOfItsOwnClassesAndNoOthers) {
  for (const int tasks : {1, 2, 3, 6}) {
    const SplitBenchmark stream = tiny_stream({.tasks = tasks});
    for (int i = 1; i <= tasks; ++i) {
      Counts train(6, 0);
      Counts test(6, 0);
      for (const Label label : stream.labels_of(i)) {
        train[label] = 30;
        test[label] = 20;
      }
      EXPECT_EQ(class_counts(stream.task(i).train), train) << i << " of " << tasks;
      EXPECT_EQ(class_counts(stream.test(i)), test) << i << " of " << tasks;
    }
  }
}

TEST(SplitBenchmark, GivesEveryExampleToExactlyOneTask) {
  const SplitBenchmark stream = tiny_stream({.tasks = 3});
  Ids train;
  Ids test;
  for (int i = 1; i <= 3; ++i) {
    for (const std::uint32_t id : ids(stream.task(i).train))
      EXPECT_TRUE(train.insert(id).second) << "a second task has example " << id;
    for (const std::uint32_t id : ids(stream.test(i)))
      EXPECT_TRUE(test.insert(id).second) << "a second test set has example " << id;
  }
  EXPECT_EQ(train.size(), 180u);
  EXPECT_EQ(test.size(), 120u);
}

TEST(SplitBenchmark, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const BenchmarkOptions options{.tasks = 3, .examples_per_task = 20};
  const SplitBenchmark stream = tiny_stream(options, 1);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(ids(stream.task(i).train), ids(stream.task(i).train));
    EXPECT_EQ(ids(stream.task(i).train), ids(tiny_stream(options, 1).task(i).train));
    EXPECT_NE(ids(stream.task(i).train), ids(tiny_stream(options, 2).task(i).train));
    EXPECT_EQ(ids(stream.test(i)), ids(tiny_stream(options, 2).test(i)));
  }
}

TEST(SplitBenchmark, TakesAsManyExamplesATaskAsAskedForOrThereAre) {
  const SplitBenchmark few = tiny_stream({.tasks = 3, .examples_per_task = 20});
  const SplitBenchmark many = tiny_stream({.tasks = 3, .examples_per_task = 1000});
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(few.task(i).train.size(), 20u);
    EXPECT_EQ(many.task(i).train.size(), 60u);
    EXPECT_EQ(few.test(i).size(), 40u);
  }
}

TEST(SplitBenchmark, SpreadsTheTailOverTheClassesOfTheTask) {
  const SplitBenchmark stream = tiny_stream({.tasks = 3, .imbalance = 10});
  for (int i = 1; i <= 3; ++i) {
    const Counts counts = class_counts(stream.task(i).train);
    const std::vector<Label> labels = stream.labels_of(i);
    const Counts own = {counts[labels[0]], counts[labels[1]]};
    EXPECT_THAT(own, AnyOf(ElementsAre(30, 3), ElementsAre(3, 30)));
    EXPECT_EQ(stream.task(i).train.size(), 33u);
    EXPECT_EQ(stream.test(i).size(), 40u);
  }
}

TEST(SplitBenchmark, RefusesDataWithoutExamplesForATask) {
  const auto message = [](const Counts& train, const Counts& test) -> std::string {
    try {
      SplitBenchmark({testing::tiny_dataset(train), testing::tiny_dataset(test)},
                     {.name = "s-mnist", .tasks = 2}, Rng(1));
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({3, 0, 0, 3}, {2, 2, 2, 2}), "no error");
  EXPECT_THAT(message({3, 3, 0, 0}, {2, 2, 2, 2}),
              HasSubstr("no training examples of the classes 2, 3 of task 2 of s-mnist"));
  EXPECT_THAT(message({3, 3, 3, 3}, {0, 0, 2, 2}), HasSubstr("no test examples"));
}

TEST(SplitBenchmark, DividesTheClassesInAnOrderThatIsListed) {
  const SplitBenchmark stream = tiny_stream({.tasks = 3, .class_order = "5,0,3,2,4,1"});
  EXPECT_THAT(stream.labels_of(1), ElementsAre(0, 5));  // ascending
  EXPECT_THAT(stream.labels_of(2), ElementsAre(2, 3));
  EXPECT_THAT(stream.labels_of(3), ElementsAre(1, 4));
  EXPECT_EQ(class_counts(stream.task(1).train), (Counts{30, 0, 0, 0, 0, 30}));
  EXPECT_EQ(class_counts(stream.test(3)), (Counts{0, 20, 0, 0, 20, 0}));
  EXPECT_EQ(stream.task(1).labels, stream.labels_of(1));
}

TEST(SplitBenchmark, DividesTheClassesAtRandomByTheSeed) {
  const BenchmarkOptions options{.tasks = 3, .class_order = "random"};
  const auto labels = [&](std::uint64_t seed) {
    std::vector<std::vector<Label>> all;
    const SplitBenchmark stream = tiny_stream(options, seed);
    std::set<Label> seen;
    for (int i = 1; i <= 3; ++i) {
      all.push_back(stream.labels_of(i));
      EXPECT_TRUE(std::is_sorted(all.back().begin(), all.back().end()));
      seen.insert(all.back().begin(), all.back().end());
    }
    EXPECT_EQ(seen.size(), 6u);
    return all;
  };
  EXPECT_EQ(labels(1), labels(1));
  std::set<std::vector<std::vector<Label>>> different;
  for (std::uint64_t seed = 0; seed < 10; ++seed) different.insert(labels(seed));
  EXPECT_GE(different.size(), 5u);
}

}  // namespace split_test
}  // namespace gps
