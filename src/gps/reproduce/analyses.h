// The analyses (gps/probes/) behind an item, beside its runs.
#pragma once

#include "gps/probes/difficulty.h"
#include "gps/probes/recorded.h"
#include "gps/probes/ring_size_curve.h"
#include "gps/probes/zero_shot.h"

namespace gps {

struct Analyses {
  std::vector<Analysis<RingSizeOptions>> ring_sizes{};
  std::vector<Analysis<DifficultyOptions>> difficulties{};
  std::vector<Analysis<ZeroShotOptions>> zero_shots{};

  std::size_t size() const { return ring_sizes.size() + difficulties.size() + zero_shots.size(); }
};

// Adds those that are not there yet.
void merge(Analyses& into, const Analyses& more);

// A guess of the seconds that one takes on one core, as expected_cost() has it for runs.
double expected_seconds(const RingSizeOptions& options);
double expected_seconds(const DifficultyOptions& options);
double expected_seconds(const ZeroShotOptions& options);

}  // namespace gps
