// When a run is tested, and on how many images: which entries of its accuracy matrix there are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gps/benchmarks/benchmark.h"
#include "gps/core/option_table.h"
#include "gps/training/evaluate.h"

namespace gps {

struct EvaluationOptions {
  // "every-task": all tasks, before the first task and after each.
  // "seen": what the metrics need of that: after each task, those learnt so far and the next one.
  // "last": all tasks, after the last one only.
  // A number N: all tasks, after every N-th task and after the last one.
  std::string when = "every-task";
  int test_images = 0;  // the most test images of each task; 0: all
};

const OptionTable<EvaluationOptions>& evaluation_options();

// Throws OptionError, also for a text that is none of the above.
void validate(const EvaluationOptions& options);

// Returns how many tasks are tested after stage 1, …, `stages`, and at stage 0 before all learning:
// none, or the first so many of the stream. After the last stage these are all tasks. REQUIRES:
// validate() accepts the options.
std::size_t tested_after(int stage, int stages, int tasks, const EvaluationOptions& options);

// Returns the test set of each task: all its images, or as many as the options allow, drawn at
// random without replacement.
std::vector<TestSet> test_sets(const Benchmark& benchmark, const EvaluationOptions& options,
                               const Rng& rng);

}  // namespace gps
