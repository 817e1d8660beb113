#include "gps/probes/ratio_distance.h"

#include <fmt/format.h>

#include <cmath>

namespace gps {
namespace {

std::vector<double> ratios_of(const RunResult& result) {
  std::vector<double> ratios;
  for (const Decision& decision : result.decisions) {
    if (decision.task == result.spec.benchmark.tasks) continue;  // no search follows the last task
    ratios.push_back(ring_ratio(decision));
  }
  return ratios;
}

}  // namespace

double ring_ratio(const Decision& decision) {
  if (decision.quota == 0) return 0;
  return static_cast<double>(decision.plan.ring_size) / static_cast<double>(decision.quota);
}

RatioDistance ratio_distance_across_seeds(const RunResult& reference, const RunResult& found) {
  for (const RunResult* run : {&reference, &found}) {
    if (run->decisions.empty())
      throw UsageError(
          fmt::format("a run of '{}' has no switching points", policy_label(run->spec.policy)));
  }
  if (reference.spec.memory != found.spec.memory ||
      reference.spec.memory_bytes != found.spec.memory_bytes ||
      reference.spec.benchmark != found.spec.benchmark) {
    throw UsageError(
        "switching points can only be compared between runs with the same benchmark and memory");
  }
  RatioDistance result{ratios_of(reference), ratios_of(found), 0};
  if (result.reference.size() != result.found.size()) {
    throw UsageError(
        fmt::format("switching points can only be compared between runs that have as many of them, "
                    "got {} and {}",
                    result.reference.size(), result.found.size()));
  }
  for (std::size_t j = 0; j < result.reference.size(); ++j)
    result.distance += std::abs(result.found[j] - result.reference[j]);
  return result;
}

RatioDistance ratio_distance(const RunResult& reference, const RunResult& found) {
  if (reference.seed != found.seed)
    throw UsageError("switching points can only be compared between runs with the same seed");
  return ratio_distance_across_seeds(reference, found);
}

}  // namespace gps
