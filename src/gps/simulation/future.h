// P̃: what might come after the current task (section 5.2), the Simulation column of the paper's
// Table 1. Every future but `offline` makes its pseudo-tasks out of the current task alone.
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

  // The next `count` tasks, numbered on from `now`, of `examples` examples each (0: all that there
  // are), a fresh random choice for each (A28). They depend on `now` and `rng` alone, so all
  // candidates of a search face the same future. Pseudo-tasks have the labels of `now` (A14).
  virtual std::vector<Task> after(const Task& now, int count, std::size_t examples,
                                  const Rng& rng) const = 0;

  // The ring ratio of what future tasks store: 0 for pseudo-tasks, whose memories are random
  // (section 5.3); a half for the oracle's real tasks, whose own switching points are not known yet
  // (A32).
  virtual double ring_ratio() const { return 0; }
};

const Catalog& future_catalog();

// Only `offline` looks at the benchmark, which must be there for it and outlive the future; for
// others it may be null.
std::unique_ptr<Future> make_future(const std::string& name, const Benchmark* benchmark);

// One maker a future, each in the file of its name below futures/.
std::unique_ptr<Future> make_permutation();
std::unique_ptr<Future> make_rotation();
std::unique_ptr<Future> make_blurring();
std::unique_ptr<Future> make_offline(const Benchmark& benchmark);

// `examples` rows of the data drawn at random; all of them where that is 0 or too many. What
// pseudo-tasks start from.
Dataset random_subset(const Dataset& data, std::size_t examples, Rng rng);

}  // namespace gps
