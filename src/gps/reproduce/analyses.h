// The analyses (gps/probes/) that an item needs, besides its runs.
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

// Adds analyses that are not in `into` yet.
void merge(Analyses& into, const Analyses& more);

// Returns the expected seconds of an analysis on one core, estimated like SpeedEstimate for runs.
double expected_seconds(const RingSizeOptions& options);
double expected_seconds(const DifficultyOptions& options);
double expected_seconds(const ZeroShotOptions& options);

}  // namespace gps
