#include <fmt/format.h>

#include <numeric>

#include "gps/benchmarks/class_order.h"
#include "gps/benchmarks/permuted.h"
#include "gps/benchmarks/split.h"
#include "gps/benchmarks/stream_source.h"
#include "gps/core/option_table.h"
#include "gps/data/readers/cifar.h"
#include "gps/data/readers/tiny_imagenet.h"

namespace gps {
namespace {

TrainTest load(const std::string& benchmark, const std::filesystem::path& data,
               const LoadHooks& hooks) {
  if (benchmark == "s-cifar-10")
    return read_cifar_10(locate(published_set("cifar-10"), data, hooks));
  if (benchmark == "s-cifar-100")
    return read_cifar_100(locate(published_set("cifar-100"), data, hooks));
  if (benchmark == "tiny-imagenet") {
    return read_tiny_imagenet(locate(published_set("tiny-imagenet"), data, hooks),
                              classes_of(benchmark), user_cache(), hooks);
  }
  return load_mnist_like(benchmark.substr(2), data);  // "p-mnist" -> "mnist"
}

void check_division(const BenchmarkOptions& options) {
  const int classes = classes_of(options.name);
  if (options.tasks >= 1 && classes % options.tasks == 0) return;
  std::vector<std::string> divisors;
  for (int tasks = 1; tasks <= classes; ++tasks) {
    if (classes % tasks == 0) divisors.push_back(fmt::format("{}", tasks));
  }
  throw OptionError("tasks", fmt::format("must divide the {} classes of {}: one of {}; got {}",
                                         classes, options.name, join(divisors), options.tasks));
}

void check_own(const BenchmarkOptions& options) {
  const OwnStream& own = *options.own;
  if (static_cast<std::size_t>(options.tasks) != own.classes_of_tasks.size()) {
    throw OptionError("tasks", fmt::format("is {}, but {} has {}", options.tasks, options.name,
                                           own.classes_of_tasks.size()));
  }
  if (own.classes_per_task > 0) {
    class_order(options.class_order, own.classes, Rng(0));
  } else if (options.class_order != "natural") {
    throw OptionError(
        "class-order",
        fmt::format("works only with data without tasks, but {} names the classes of each task",
                    options.name));
  }
}

}  // namespace

const OptionTable<BenchmarkOptions>& benchmark_options() {
  constexpr int kMostTasks = 10000;
  constexpr double kMostImbalance = 1e6;
  static const OptionTable<BenchmarkOptions> table = {
      option("tasks", &BenchmarkOptions::tasks, "tasks").between(1, kMostTasks).called("T"),
      option("examples_per_task", &BenchmarkOptions::examples_per_task,
             "use at most so many training examples of each task")
          .at_least(0)
          .usually("all"),
      option("imbalance", &BenchmarkOptions::imbalance,
             "size of the largest class divided by the size of the smallest")
          .between(1, kMostImbalance)
          .called("R"),
      option("class_order", &BenchmarkOptions::class_order,
             "order of the classes, if tasks divide them; a list names every label once")
          .called("natural|random|L,L,...")
          .silent(),
      option("augment", &BenchmarkOptions::augment,
             "train on colour images without random crops and flips")
          .flag("no-augment")
          .silent(),
  };
  return table;
}

namespace {

std::vector<Option> rows(const std::vector<std::string>& keys) {
  std::vector<Option> some;
  for (const std::string& key : keys) some.push_back(*find_option(benchmark_options().rows(), key));
  return some;
}

}  // namespace

const Catalog& benchmark_catalog() {
  static const Catalog catalog = {
      {"p-mnist", "P-MNIST",
       "MNIST (60,000 + 10,000 digits); every task but the first permutes the pixels. "
       "Domain-incremental. Looked for as mnist/ in `data`, $GPSCL_DATA, the user's cache "
       "($XDG_CACHE_HOME or ~/.cache, gpscl/) and /usr/share/datasets; download: gpscl data get "
       "mnist.",
       rows({"tasks", "examples_per_task", "imbalance"})},
      {"p-fashion-mnist", "(not in the paper)",
       "The same with Fashion-MNIST (garments), which Debian ships: no download.",
       rows({"tasks", "examples_per_task", "imbalance"})},
      {"s-mnist", "(not in the paper)",
       "MNIST with its classes divided among the tasks in natural order: 0 and 1, 2 and 3, and so "
       "on. A task is scored among all classes, and also among its own (task-incremental).",
       rows({"tasks", "class_order", "examples_per_task", "imbalance"})},
      {"s-fashion-mnist", "(not in the paper)", "The same with Fashion-MNIST.",
       rows({"tasks", "class_order", "examples_per_task", "imbalance"})},
      {"s-cifar-10", "S-CIFAR-10",
       "CIFAR-10 (50,000 + 10,000 photographs of 32 x 32 pixels), two of its ten classes in each "
       "task. "
       "Task-incremental. Looked for as cifar-10-binary.tar.gz or cifar-10-batches-bin/; download: "
       "gpscl data get cifar-10.",
       rows({"tasks", "class_order", "examples_per_task", "imbalance", "augment"})},
      {"s-cifar-100", "S-CIFAR-100",
       "CIFAR-100 (50,000 + 10,000), ten of its hundred classes in each task. Task-incremental. "
       "Looked "
       "for as cifar-100-binary.tar.gz or cifar-100-binary/; download: gpscl data get cifar-100.",
       rows({"tasks", "class_order", "examples_per_task", "imbalance", "augment"})},
      {"tiny-imagenet", "TinyImageNet",
       "TinyImageNet (100,000 + 10,000 of 64 x 64 pixels; the test examples are the official "
       "validation set), twenty of its 200 classes in each task. The order is that of wnids.txt, "
       "not Mammoth's. Task-incremental. Decoded once, into the user's cache. Looked for as "
       "tiny-imagenet-200.zip or tiny-imagenet-200/; download: gpscl data get tiny-imagenet.",
       rows({"tasks", "class_order", "examples_per_task", "imbalance", "augment"})},
  };
  return catalog;
}

int classes_of(const std::string& benchmark) {
  find(benchmark_catalog(), "benchmark", benchmark);
  if (benchmark == "s-cifar-100") return 100;
  if (benchmark == "tiny-imagenet") return 200;
  return 10;
}

bool is_split(const std::string& benchmark) {
  return !find(benchmark_catalog(), "benchmark", benchmark).name.starts_with("p-");
}

int default_tasks(const std::string& benchmark) {
  return is_split(benchmark) && classes_of(benchmark) == 10 ? 5 : 10;
}

Normalisation normalisation_of(const std::string& benchmark) {
  if (benchmark == "s-cifar-10") return {{0.4914f, 0.4822f, 0.4465f}, {0.2470f, 0.2435f, 0.2615f}};
  if (benchmark == "s-cifar-100") return {{0.5071f, 0.4867f, 0.4408f}, {0.2675f, 0.2565f, 0.2761f}};
  if (benchmark == "tiny-imagenet")
    return {{0.4802f, 0.4480f, 0.3975f}, {0.2770f, 0.2691f, 0.2821f}};
  return {};
}

int classes_of(const BenchmarkOptions& options) {
  return options.own ? options.own->classes : classes_of(options.name);
}

bool is_split(const BenchmarkOptions& options) {
  return options.own ? options.own->divides_classes() : is_split(options.name);
}

int classes_a_task(const BenchmarkOptions& options) {
  const int classes = classes_of(options.name);
  return is_split(options.name) ? classes / options.tasks : classes;
}

int classes_of_all_tasks(const BenchmarkOptions& options) {
  if (options.own) {
    const std::vector<int>& own = options.own->classes_of_tasks;
    return std::accumulate(own.begin(), own.end(), 0);
  }
  return options.tasks * classes_a_task(options);
}

std::string treated_as(const BenchmarkOptions& options) {
  if (!options.own) return options.name;
  return options.own->shape.channels == 3 ? "s-cifar-10" : "s-mnist";
}

void validate(const BenchmarkOptions& options) {
  if (options.own) {
    check_own(options);
  } else if (is_split(options.name)) {
    check_division(options);
    class_order(options.class_order, classes_of(options.name), Rng(0));
  } else if (options.class_order != "natural") {
    throw OptionError("class-order", fmt::format("works only with streams that divide the classes "
                                                 "among their tasks, such as s-mnist; {} does not",
                                                 options.name));
  }
  benchmark_options().check_all(options);
}

std::unique_ptr<BenchmarkSource> open_benchmark(const BenchmarkOptions& options,
                                                const std::filesystem::path& data,
                                                const LoadHooks& hooks,
                                                const ConvertImages& convert) {
  validate(options);
  if (options.own) return open_own_stream(options, hooks, convert);
  TrainTest set = load(options.name, data, hooks);
  if (convert) {
    set.train = convert(set.train, options.name + ", training");
    set.test = convert(set.test, options.name + ", test");
  }
  if (is_split(options.name))
    return std::make_unique<StreamSource<SplitBenchmark>>(std::move(set), options);
  set.test = set.test.indexed();  // once for the streams of all seeds
  return std::make_unique<StreamSource<PermutedBenchmark>>(std::move(set), options);
}

}  // namespace gps
