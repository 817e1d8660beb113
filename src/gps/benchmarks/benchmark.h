// A stream of tasks with a test set each: the column heads of the paper's Table 1.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gps/benchmarks/own_stream.h"
#include "gps/core/catalog.h"
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

  // Task i = 1, …, tasks(). Calling twice gives the same task.
  virtual Task task(int i) const = 0;
  virtual Dataset test(int i) const = 0;

  // How training varies the images of every task.
  virtual Augmentation augmentation() const { return {}; }

  // Labels of task i, in training and in test, ascending; the same as task(i).labels. Empty where
  // every task has all of them (domain-incremental). Where there are some, a task is evaluated both
  // among them (task-incremental) and among all (class-incremental).
  virtual std::vector<Label> labels_of(int /*task*/) const { return {}; }

  // The mean and the deviation of its training pixels, channel by channel. Networks for colour
  // images are usually given these. Empty for grey images.
  virtual Normalisation normalisation() const { return {}; }

  // The user's names of the classes, by label, and of the tasks; empty if they have no names.
  virtual std::vector<std::string> class_names() const { return {}; }
  virtual std::vector<std::string> task_names() const { return {}; }

  // Images that could not be read and were left out, as the user wished.
  virtual std::size_t skipped_images() const { return 0; }
};

struct BenchmarkOptions {
  std::string name = "p-mnist";  // of benchmark_catalog(), or the path of one's own images
  int tasks = 10;                // see default_tasks()
  int examples_per_task = 0;     // 0: all of them
  double imbalance =
      1;  // R: how many times commoner the commonest class is than the rarest; 1: as it comes
  bool augment = true;                  // vary the images of streams of natural images
  std::string class_order = "natural";  // where tasks divide the classes; see class_order.h
  std::optional<OwnStream> own = {};    // what lies at the path; see look_at_stream()
  bool operator==(const BenchmarkOptions&) const = default;
};

const Catalog& benchmark_catalog();

// Its options but for those of one's own images. Each entry of the catalog lists those that concern
// it.
const OptionTable<BenchmarkOptions>& benchmark_options();

// The number of labels, known before any data is read.
int classes_of(const std::string& benchmark);
int classes_of(const BenchmarkOptions& options);

// Whether its tasks divide the classes among themselves, instead of all having all of them.
bool is_split(const std::string& benchmark);
bool is_split(const BenchmarkOptions& options);

// The default number of tasks: the paper's, or 5 if the paper has none and tasks divide the
// classes.
int default_tasks(const std::string& benchmark);

// See Benchmark::normalisation(). The constants are those that Mammoth uses.
Normalisation normalisation_of(const std::string& benchmark);

// The number of labels that each task has. REQUIRES: no stream of one's own.
int classes_a_task(const BenchmarkOptions& options);

// The labels of all tasks, counted once for each task that has them.
int classes_of_all_tasks(const BenchmarkOptions& options);

// The stream of the catalog whose hyper-parameters are those of this one: itself, but for one's own
// images s-cifar-10 if they are in colour, and s-mnist if not.
std::string treated_as(const BenchmarkOptions& options);

// Throws UsageError for values that make no stream: a name that does not exist, no tasks, a number
// of tasks that does not divide the classes of a split stream, an order of classes that does not
// have each of them once, and so on.
void validate(const BenchmarkOptions& options);

// What the streams of all seeds share: the data, read once. See data/sets/locate.h for where it is
// looked for.
class BenchmarkSource {
 public:
  virtual ~BenchmarkSource() = default;
  // The stream of this seed. Everything drawn depends on the seed alone: not on the learner, not on
  // the policy.
  virtual std::unique_ptr<Benchmark> stream(std::uint64_t seed) const = 0;
};

// Large sets may have to be unpacked and decoded first; the hooks report this and can stop it.
std::unique_ptr<BenchmarkSource> open_benchmark(const BenchmarkOptions& options,
                                                const std::filesystem::path& data,
                                                const LoadHooks& hooks = {});

}  // namespace gps
