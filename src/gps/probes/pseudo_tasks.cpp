#include "gps/probes/pseudo_tasks.h"

#include <fmt/format.h>

#include <algorithm>

#include "gps/core/option.h"

namespace gps {
namespace {

constexpr const char* kReal = "real";

// Returns the random stream from which the policy gps draws its pseudo-tasks (docs/architecture.md,
// section 6).
Rng imagination(std::uint64_t seed, int task) {
  return Rng(seed).fork("task", task).fork("end").fork("choice").fork("pseudo-tasks");
}

}  // namespace

std::vector<std::string> task_sources() {
  std::vector<std::string> sources = {kReal};
  for (const std::string& future : names(future_catalog())) {
    if (future != "offline") sources.push_back(future);  // it has the real tasks
  }
  return sources;
}

void check_count(int count) {
  if (count >= 1 && count <= kMostCount) return;
  throw OptionError("count", fmt::format("must be between 1 and {}, got {}", kMostCount, count));
}

void check_task_source(const std::string& name) {
  const std::vector<std::string> known = task_sources();
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw UsageError("unknown source of tasks '" + name + "'; known: " + join(known));
}

std::vector<Task> tasks_after(int now, int count, const std::string& source,
                              const Benchmark& benchmark, std::uint64_t seed) {
  if (source != kReal) {
    return make_future(source, &benchmark)
        ->after(benchmark.task(now), count, /*examples=*/0, imagination(seed, now));
  }
  std::vector<Task> tasks;
  for (int i = now + 1; i <= std::min(now + count, benchmark.tasks()); ++i)
    tasks.push_back(benchmark.task(i));
  return tasks;
}

std::vector<TaskTest> tests_after(int now, int count, const std::string& source,
                                  const Benchmark& benchmark, std::uint64_t seed) {
  std::vector<TaskTest> tests;
  if (source == kReal) {
    for (int i = now + 1; i <= std::min(now + count, benchmark.tasks()); ++i)
      tests.push_back({benchmark.test(i), benchmark.labels_of(i)});
    return tests;
  }
  // The transformation of the k-th task is drawn independently of its examples, so the test
  // examples get the same one.
  const Task tested{now, benchmark.test(now), benchmark.labels_of(now)};
  for (Task& each : make_future(source, &benchmark)
                        ->after(tested, count, /*examples=*/0, imagination(seed, now)))
    tests.push_back({std::move(each.train), std::move(each.labels)});
  return tests;
}

}  // namespace gps
