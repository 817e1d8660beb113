// Tasks to learn or to test on: the real tasks of the benchmark, under the name "real", or
// pseudo-tasks that a future makes from one of them, with test sets made in the same way.
#pragma once

#include "gps/benchmarks/benchmark.h"
#include "gps/simulation/future.h"

namespace gps {

// The most tasks that an analysis learns or tests.
inline constexpr int kMostCount = 100;

// Throws OptionError if `count` is not between 1 and that.
void check_count(int count);

// Returns "real" and the name of every future that makes pseudo-tasks.
std::vector<std::string> task_sources();

// Throws UsageError, listing the known sources, for any other name.
void check_task_source(const std::string& name);

// Returns at most `count` tasks that follow task `now`. For "real" these are the real tasks from
// now + 1 on, as many as there are. Otherwise they are the pseudo-tasks that gps makes from task
// `now` in a run with this seed, but with all examples. REQUIRES: a known source.
std::vector<Task> tasks_after(int now, int count, const std::string& source,
                              const Benchmark& benchmark, std::uint64_t seed);

// The test sets of the same tasks.
struct TaskTest {
  Dataset examples;
  std::vector<Label> labels;  // labels that count in the test; empty: all
};
std::vector<TaskTest> tests_after(int now, int count, const std::string& source,
                                  const Benchmark& benchmark, std::uint64_t seed);

}  // namespace gps
