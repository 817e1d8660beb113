// P̃: the tasks that might follow the current one (section 5.2), the Simulation column of the
// paper's Table 1. Every future but `offline` makes its pseudo-tasks from the current task alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gps/benchmarks/benchmark.h"
#include "gps/core/catalog.h"
#include "gps/core/rng.h"
#include "gps/data/task.h"

namespace gps {

class Future {
 public:
  virtual ~Future() = default;

  // Returns the next `count` tasks, numbered from now.number + 1, with `examples` examples each (0:
  // all), a new random subset for each (A28). `offline` returns fewer if the stream ends. For one
  // benchmark they depend on `now` and `rng` alone, so all candidates of a search face the same
  // future. Pseudo-tasks have the labels of `now` (A14).
  virtual std::vector<Task> after(const Task& now, int count, std::size_t examples,
                                  const Rng& rng) const = 0;

  // Where on the line of plans (memory/plan.h) the memories of future tasks are: at 0 those of
  // pseudo-tasks, which are random (section 5.3); in the middle those of the oracle's real tasks,
  // whose own plans are not known yet (A32).
  virtual double plan_share() const { return 0; }
};

const Catalog& future_catalog();

// Only `offline` uses the benchmark, which must outlive the future. For other futures it may be
// null. Throws UsageError for an unknown name, and for `offline` without a benchmark.
std::unique_ptr<Future> make_future(const std::string& name, const Benchmark* benchmark);

// One maker for each future, in the file of its name below futures/.
std::unique_ptr<Future> make_permutation();
std::unique_ptr<Future> make_rotation();
std::unique_ptr<Future> make_blurring();
std::unique_ptr<Future> make_offline(const Benchmark& benchmark);

// Returns `examples` random rows of the data; all rows if `examples` is 0 or too large.
// Pseudo-tasks are made from such subsets.
Dataset random_subset(const Dataset& data, std::size_t examples, Rng rng);

}  // namespace gps
