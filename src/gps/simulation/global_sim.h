// GlobalSim (Algorithm 1 of the paper): what would become of the current task if its memory were
// built like this? Copy the learner and the memory, build M_i, train the future with the same
// update, score, throw the copies away.
#pragma once

#include <functional>
#include <span>

#include "gps/memory/select.h"
#include "gps/policies/rebuilding.h"
#include "gps/training/trainer.h"

namespace gps {

enum class Score {
  natural,   // per example, as the classes come
  balanced,  // averaged over the classes
};

// Everything that the candidates of one search share. It is only read: imagination has no side
// effects.
struct Situation {
  const Task& now;                // scored among its own labels, as a task is in the end
  const SelectionOrders& orders;  // of `now`, without what is held back for scoring
  const Dataset& held_back;
  Score score = Score::natural;
  std::span<const Task> future;
  double future_ring_ratio = 0;
  InTask in_task = InTask::strict;  // as in reality
  const Learner& learner;           // θ_i
  const Memory& memory;             // M_{i-1}, shrunk to make room
  TrainOptions training;
  Rng rng;  // does not depend on the candidate: all of them see the same batches and draws
  const StopFlag* stop = nullptr;
};

// For whoever wants to see more than the end: shown the learner before the future begins, when
// `tasks` is 0, and after each of its tasks. Not after a task in which the network breaks.
using WatchFuture = std::function<void(int tasks, Learner& learner)>;

Outcome global_sim(const Plan& plan, const Situation& situation, const WatchFuture& watch = {});

// Which rows of a task to keep out of all candidate memories, for scoring (A12): `most` at random,
// or, for a balanced score, most/C of each of the C classes present; at most half of the task or
// class, at least one. The real memory may still use them.
std::vector<bool> hold_back(const Dataset& data, Score score, std::size_t most, const Rng& rng);

}  // namespace gps
