// A stream of tasks with a test set each: the columns of the paper's Table 1.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gps/benchmarks/own_stream.h"
#include "gps/core/catalog.h"
#include "gps/data/features.h"
#include "gps/data/loading.h"
#include "gps/data/normalisation.h"
#include "gps/data/task.h"

namespace gps {

class Benchmark {
 public:
  virtual ~Benchmark() = default;
  virtual int tasks() const = 0;
  virtual int classes() const = 0;
  virtual const ImageShape& shape() const = 0;

  // Returns task i = 1, …, tasks(). Calling twice gives the same task.
  virtual Task task(int i) const = 0;
  virtual Dataset test(int i) const = 0;

  // How training varies the images, in every task.
  virtual Augmentation augmentation() const { return {}; }

  // Returns the labels of task i, in training and in test, ascending; the same as task(i).labels.
  // Empty if every task has all labels (domain-incremental). Otherwise a task is evaluated both
  // among its own labels (task-incremental) and among all labels (class-incremental).
  virtual std::vector<Label> labels_of(int /*task*/) const { return {}; }

  // The mean and the deviation of the training pixels, by channel. Networks for colour images use
  // these by default. Empty for grey images. For features, one of each: those of the first task's
  // training examples (feature_normalisation()).
  virtual Normalisation normalisation() const { return {}; }

  // The user's names of the classes, by label, and of the tasks; empty if there are none.
  virtual std::vector<std::string> class_names() const { return {}; }
  virtual std::vector<std::string> task_names() const { return {}; }

  // Number of images that could not be read and were skipped at the user's request.
  virtual std::size_t skipped_images() const { return 0; }
};

struct BenchmarkOptions {
  std::string name = "p-mnist";  // in benchmark_catalog(), or the path of the user's own images
  int tasks = 10;                // see default_tasks()
  int examples_per_task = 0;     // 0: all
  double imbalance = 1;  // R: size of the largest class divided by the smallest; 1: as in the data
  bool augment = true;   // vary the images of streams of colour images
  std::string class_order = "natural";  // if tasks divide the classes; see class_order.h
  std::optional<OwnStream> own = {};    // the stream found at the path; see look_at_stream()
  bool operator==(const BenchmarkOptions&) const = default;
};

const Catalog& benchmark_catalog();

// The options, without those for the user's own images. Each entry of the catalog lists those that
// apply to it.
const OptionTable<BenchmarkOptions>& benchmark_options();

// Returns the number of labels, which is known before any data is read.
int classes_of(const std::string& benchmark);
int classes_of(const BenchmarkOptions& options);

// Returns whether the tasks divide the classes among themselves; otherwise every task has all
// classes.
bool is_split(const std::string& benchmark);
bool is_split(const BenchmarkOptions& options);

// Returns the default number of tasks: the paper's, or 5 if the stream is not in the paper and its
// tasks divide the classes.
int default_tasks(const std::string& benchmark);

// See Benchmark::normalisation(). The constants are those that Mammoth uses.
Normalisation normalisation_of(const std::string& benchmark);

// Returns the number of labels of each task. REQUIRES: not a stream of the user's own images.
int classes_a_task(const BenchmarkOptions& options);

// Returns the number of labels of each task, summed over all tasks.
int classes_of_all_tasks(const BenchmarkOptions& options);

// Returns the stream of the catalog whose hyper-parameters apply: the stream itself. For the user's
// own images it is s-cifar-10 if they are in colour, and otherwise s-mnist.
std::string treated_as(const BenchmarkOptions& options);

// Throws UsageError for options that do not define a stream: an unknown name, no tasks, a number of
// tasks that does not divide the classes of a split stream, a class order that does not have each
// class once, and so on.
void validate(const BenchmarkOptions& options);

// The data that the streams of all seeds share, read once. data/sets/locate.h says where it is
// searched for.
class BenchmarkSource {
 public:
  virtual ~BenchmarkSource() = default;
  // Returns the stream of this seed. All random choices depend only on the seed, not on the learner
  // or the policy.
  virtual std::unique_ptr<Benchmark> stream(std::uint64_t seed) const = 0;
};

// Large sets may first have to be unpacked and decoded; the hooks report this and can stop it. If
// `convert` is given, it is applied once to all images.
std::unique_ptr<BenchmarkSource> open_benchmark(const BenchmarkOptions& options,
                                                const std::filesystem::path& data,
                                                const LoadHooks& hooks = {},
                                                const ConvertImages& convert = {});

}  // namespace gps
