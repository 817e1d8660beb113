// Tasks to learn or to test on that are not (only) the benchmark's: its real tasks, under the name
// "real", or what a future makes of one of them, with test sets made in the same way.
#pragma once

#include "gps/benchmarks/benchmark.h"
#include "gps/simulation/future.h"

namespace gps {

// "real", and every future that makes pseudo-tasks.
std::vector<std::string> task_sources();

// Throws UsageError listing them.
void check_task_source(const std::string& name);

// What `source` has after task `now`: the real tasks now + 1, now + 2, …, at most `count` and as
// many as there are, or so many pseudo-tasks of task `now`, the very ones that gps imagines after
// it in a run of this seed, but with all examples. REQUIRES: a known source.
std::vector<Task> tasks_after(int now, int count, const std::string& source,
                              const Benchmark& benchmark, std::uint64_t seed);

// The test sets of the same tasks.
struct TaskTest {
  Dataset examples;
  std::vector<Label> labels;  // among which they are judged; empty: all
};
std::vector<TaskTest> tests_after(int now, int count, const std::string& source,
                                  const Benchmark& benchmark, std::uint64_t seed);

}  // namespace gps
