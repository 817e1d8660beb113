// The loss of Eqn. 2 over the rows of one step, for the learners that add to it.
#pragma once

#include <array>

#include "gps/learners/learner.h"
#include "gps/learners/replay_rows.h"

namespace gps {

// The first `now` rows are the current batch; the others were drawn from the memory.
inline std::array<LossTerm, 2> replay_terms(const ReplayRows& rows, std::size_t now,
                                            const LearnerOptions& options) {
  const std::size_t drawn = rows.size() - now;
  std::array<LossTerm, 2> terms = {{
      {0, rows.labels(0, now), 1},
      {now, rows.labels(now, drawn), options.lambda},
  }};
  if (options.er_loss == ErLoss::concat) {
    // The mean over all rows is the mean of the two means, weighted by their numbers of rows.
    const auto all = static_cast<float>(rows.size());
    terms[0].weight *= static_cast<float>(now) / all;
    terms[1].weight *= static_cast<float>(drawn) / all;
  }
  return terms;
}

}  // namespace gps
