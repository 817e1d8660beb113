#include <gmock/gmock.h>

#include <limits>
#include <map>

#include "gps/benchmarks/benchmark.h"
#include "gps/core/errors.h"
#include "support/environment.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace catalog_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string error(const BenchmarkOptions& options) {
  try {
    validate(options);
  } catch (const UsageError& refusal) {
    return refusal.what();
  }
  return "no error";
}

TEST(BenchmarkOptions, AreValidByDefault) { EXPECT_EQ(error({}), "no error"); }

TEST(BenchmarkOptions, RefuseAnUnknownNameWithTheKnownOnes) {
  EXPECT_THAT(error({.name = "p-minst"}),
              AllOf(HasSubstr("unknown benchmark 'p-minst'"), HasSubstr("p-mnist")));
  EXPECT_THROW(classes_of("p-minst"), UsageError);
}

TEST(BenchmarkOptions, RefuseAStreamWithoutTasks) {
  EXPECT_EQ(error({.tasks = 1}), "no error");
  EXPECT_EQ(error({.tasks = 0}), "`tasks` must be between 1 and 10000, got 0");
  EXPECT_EQ(error({.tasks = 10001}), "`tasks` must be between 1 and 10000, got 10001");
}

TEST(BenchmarkOptions, RefuseTasksThatDoNotDivideTheClassesOfASplitStream) {
  for (const std::string name : {"s-mnist", "s-fashion-mnist"}) {
    for (const int tasks : {1, 2, 5, 10})
      EXPECT_EQ(error({.name = name, .tasks = tasks}), "no error");
    for (const int tasks : {-2, 0, 3, 20}) {
      EXPECT_EQ(error({.name = name, .tasks = tasks}), "`tasks` must divide the 10 classes of " +
                                                           name + ": one of 1, 2, 5, 10; got " +
                                                           std::to_string(tasks));
    }
  }
  EXPECT_EQ(error({.name = "p-mnist", .tasks = 3}), "no error");
}

TEST(BenchmarkOptions, KnowHowManyTasksAndClassesATaskThereAre) {
  EXPECT_EQ(default_tasks("p-mnist"), BenchmarkOptions{}.tasks);
  EXPECT_EQ(default_tasks("s-mnist"), 5);
  EXPECT_EQ(classes_a_task({.name = "p-mnist", .tasks = 5}), 10);
  EXPECT_EQ(classes_a_task({.name = "s-mnist", .tasks = 5}), 2);
  EXPECT_EQ(classes_a_task({.name = "s-fashion-mnist", .tasks = 2}), 5);
  EXPECT_THROW(is_split("s-minst"), UsageError);
}

TEST(BenchmarkOptions, AreThePapersForItsStreams) {
  struct Stream {
    std::string name;
    int tasks;
    int classes;
  };
  for (const auto& [name, tasks, classes] :
       {Stream{"s-cifar-10", 5, 2}, {"s-cifar-100", 10, 10}, {"tiny-imagenet", 10, 20}}) {
    EXPECT_TRUE(is_split(name));
    EXPECT_EQ(default_tasks(name), tasks) << name;
    EXPECT_EQ(classes_a_task({.name = name, .tasks = tasks}), classes) << name;
  }
  EXPECT_EQ(error({.name = "s-cifar-100", .tasks = 20}), "no error");
  EXPECT_EQ(error({.name = "tiny-imagenet", .tasks = 200}), "no error");
  EXPECT_THAT(error({.name = "tiny-imagenet", .tasks = 3}), HasSubstr("divide the 200 classes"));
}

TEST(BenchmarkOptions, RefuseAnOrderOfClassesThatIsNone) {
  EXPECT_EQ(error({.name = "s-mnist", .tasks = 5, .class_order = "9,8,7,6,5,4,3,2,1,0"}),
            "no error");
  EXPECT_EQ(error({.name = "s-cifar-100", .class_order = "random"}), "no error");
  EXPECT_THAT(error({.name = "s-mnist", .tasks = 5, .class_order = "9,8"}),
              HasSubstr("got 2 labels"));
  EXPECT_THAT(error({.name = "p-mnist", .class_order = "random"}),
              AllOf(HasSubstr("`class-order`"), HasSubstr("p-mnist does not")));
}

TEST(BenchmarkOptions, RefuseANegativeNumberOfExamples) {
  EXPECT_EQ(error({.examples_per_task = 1}), "no error");
  EXPECT_THAT(error({.examples_per_task = -1}),
              AllOf(HasSubstr("`examples-per-task`"), HasSubstr("got -1")));
}

TEST(BenchmarkOptions, RefuseAnImbalanceThatIsNone) {
  for (const double imbalance : {1.0, 100.0, 1e6})
    EXPECT_EQ(error({.imbalance = imbalance}), "no error");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double imbalance : {0.99, 0.0, -5.0, 1.1e6, nan, infinity}) {
    EXPECT_THAT(error({.imbalance = imbalance}), HasSubstr("`imbalance` must be between 1"));
  }
}

TEST(BenchmarkCatalog, DescribesEveryBenchmark) {
  for (const Entry& entry : benchmark_catalog()) {
    EXPECT_FALSE(entry.name.empty());
    EXPECT_FALSE(entry.paper.empty()) << entry.name;
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
  }
}

TEST(BenchmarkCatalog, OpensEveryBenchmarkOnItsData) {
  const testing::TemporaryFolder folder;
  const testing::Environment cache("XDG_CACHE_HOME", (folder.path() / "cache").string());
  testing::write_tiny_mnist(folder.path(), "mnist", 3);
  testing::write_tiny_mnist(folder.path(), "fashion-mnist", 4);
  testing::write_tiny_cifar_10(folder.path(), 5);
  testing::write_tiny_cifar_100(folder.path(), 2);
  testing::write_tiny_imagenet(folder.path(), 200, 1);
  struct Size {
    std::size_t train;
    std::size_t test;
  };
  const std::map<std::string, Size> a_class = {
      {"p-mnist", {3, 20}},         {"s-mnist", {3, 20}},   {"p-fashion-mnist", {4, 20}},
      {"s-fashion-mnist", {4, 20}}, {"s-cifar-10", {5, 2}}, {"s-cifar-100", {2, 1}},
      {"tiny-imagenet", {1, 1}}};
  for (const std::string& name : names(benchmark_catalog())) {
    const BenchmarkOptions options{.name = name, .tasks = 5};
    const auto source = open_benchmark(options, folder.path());
    const auto stream = source->stream(1);
    EXPECT_EQ(stream->tasks(), 5);
    EXPECT_EQ(classes_of(name), stream->classes()) << name;
    const auto each = static_cast<std::size_t>(classes_a_task(options));
    EXPECT_EQ(stream->labels_of(2).size(), is_split(name) ? each : 0u) << name;
    EXPECT_EQ(stream->task(2).labels, stream->labels_of(2)) << name;
    EXPECT_EQ(stream->task(2).train.size(), a_class.at(name).train * each) << name;
    EXPECT_EQ(stream->test(3).size(), a_class.at(name).test * each) << name;
    const auto channels = static_cast<std::size_t>(stream->shape().channels);
    EXPECT_EQ(stream->normalisation().mean.size(), channels == 1 ? 0 : channels) << name;
    EXPECT_EQ(stream->normalisation().deviation.size(), channels == 1 ? 0 : channels) << name;
  }
}

TEST(BenchmarkCatalog, StreamsOfOneSourceDependOnTheSeed) {
  const testing::TemporaryFolder folder;
  testing::write_tiny_mnist(folder.path(), "mnist", 3);
  const auto source = open_benchmark({.name = "p-mnist"}, folder.path());
  const auto ids = [&](std::uint64_t seed) {
    const Dataset train = source->stream(seed)->task(1).train;
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < train.size(); ++i) all.push_back(train.id(i));
    return all;
  };
  EXPECT_EQ(ids(1), ids(1));
  EXPECT_NE(ids(1), ids(2));
}

TEST(BenchmarkCatalog, ChecksOptionsBeforeItLooksForData) {
  EXPECT_THROW(open_benchmark({.tasks = 0}, "/no/such/folder"), UsageError);
  try {
    open_benchmark({.tasks = 0}, "/no/such/folder");
  } catch (const UsageError& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("`tasks`"));
  }
}

}  // namespace catalog_test
}  // namespace gps
