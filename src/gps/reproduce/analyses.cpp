#include "gps/reproduce/analyses.h"

#include <algorithm>

#include "gps/experiments/scheduling/cost.h"

namespace gps {
namespace {

// Returns the expected time of one task in a run without simulation.
double seconds_a_task(Spec spec) {
  spec.policy.name = "reservoir";
  return SpeedEstimate({}).seconds(spec) / spec.benchmark.tasks;
}

template <typename Options>
void merge_kind(std::vector<Analysis<Options>>& into, const std::vector<Analysis<Options>>& more) {
  const auto same = [](const Analysis<Options>& a, const Analysis<Options>& b) {
    return a.seed == b.seed && to_json(a.options) == to_json(b.options);
  };
  for (const Analysis<Options>& each : more) {
    if (std::none_of(into.begin(), into.end(),
                     [&](const auto& known) { return same(known, each); }))
      into.push_back(each);
  }
}

}  // namespace

void merge(Analyses& into, const Analyses& more) {
  merge_kind(into.ring_sizes, more.ring_sizes);
  merge_kind(into.difficulties, more.difficulties);
  merge_kind(into.zero_shots, more.zero_shots);
}

double expected_seconds(const RingSizeOptions& options) {
  const int left = options.spec.benchmark.tasks - options.task;
  const int future = options.window > 0 ? std::min(options.window, left) : left;
  const double tasks = options.task + static_cast<double>(options.ratios.size()) * future;
  return tasks * seconds_a_task(options.spec);
}

double expected_seconds(const DifficultyOptions& options) {
  return options.count * seconds_a_task(options.spec);
}

double expected_seconds(const ZeroShotOptions& options) {
  return options.after * seconds_a_task(options.spec);
}

}  // namespace gps
