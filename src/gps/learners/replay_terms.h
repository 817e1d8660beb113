// The loss of Eqn. 2 over the rows of one step, for learners that replay.
#pragma once

#include <array>

#include "gps/learners/learner.h"
#include "gps/learners/replay_rows.h"

namespace gps {

enum class ErLoss {
  sum,     // Eqn. 2: mean over the current rows + λ · mean over the memory rows
  concat,  // as in other frameworks: the mean over all rows (λ weighs the memory rows in it)
};

struct ReplayOptions {
  float lambda = 1;
  ErLoss er_loss = ErLoss::sum;
};

inline const OptionTable<ReplayOptions>& replay_options() {
  static const OptionTable<ReplayOptions> table = {
      option("lambda", &ReplayOptions::lambda, "weight of the memory's loss").at_least(0),
      choice("er_loss", &ReplayOptions::er_loss, {{"sum", ErLoss::sum}, {"concat", ErLoss::concat}},
             "current + lambda * memory (Eqn. 2), or the mean over all rows"),
  };
  return table;
}

// The first `now` rows are the current batch; the others were drawn from the memory.
inline std::array<LossTerm, 2> replay_terms(const ReplayRows& rows, std::size_t now,
                                            const ReplayOptions& options) {
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
