// GlobalSim (Algorithm 1 of the paper): simulates how well the current task will be remembered if
// its memory is built with a given plan. Copies the learner and the memory, builds M_i, trains on
// the future with the same update, scores the current task, and discards the copies.
#pragma once

#include <functional>
#include <span>

#include "gps/memory/select.h"
#include "gps/policies/parts/rebuilding.h"
#include "gps/training/trainer.h"

namespace gps {

enum class Score {
  natural,   // averaged over the examples
  balanced,  // averaged over the classes
};

// Everything that the candidates of one search share. It is only read: a simulation has no side
// effects.
struct Situation {
  const Task& now;                // scored among its own labels, as in the final evaluation
  const SelectionOrders& orders;  // of `now`, without the rows held back for scoring
  const Dataset& held_back;
  Score score = Score::natural;
  std::span<const Task> future;
  double future_share = 0;          // Future::plan_share(), unless the candidate sets its own
  InTask in_task = InTask::strict;  // as in the real run
  const Learner& learner;           // θ_i
  const Memory& memory;             // M_{i-1}, shrunk to make room
  TrainOptions training;
  Rng rng;  // does not depend on the candidate: all of them see the same batches and draws
  const StopFlag* stop = nullptr;
};

// Returns the memory with which the future of this plan begins: M_i, built without the rows that
// are held back.
Memory candidate_memory(const Plan& plan, const Situation& situation);

// Follows a simulation: called with the learner before the future begins, when `tasks` is 0, and
// after each of its tasks. Not called after a task in which training diverges.
using WatchFuture = std::function<void(int tasks, Learner& learner)>;

// Returns infinite loss and zero accuracy if training diverges, or if the network is dead in the
// end: it gives one answer for all images held back, and on the last task of the future it does so
// too or is no better than guessing (training/health.h).
Outcome global_sim(const Plan& plan, const Situation& situation, const WatchFuture& watch = {});

// Marks the rows of a task that are held back from all candidate memories, for scoring (A12):
// `most` random rows or, for a balanced score, most/C rows of each of the C classes present. At
// most half of the task or class is held back, but at least one row. The real memory may still use
// these rows.
std::vector<bool> hold_back(const Dataset& data, Score score, std::size_t most, const Rng& rng);

}  // namespace gps
