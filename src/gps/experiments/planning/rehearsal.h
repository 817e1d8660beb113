// A rehearsal: a recipe is tried on an imagined stream, from untrained weights to the last task. It
// can be paused after any task and continued later, so that a race (experiments/planning/race.h)
// stops those that lose before they have cost much.
#pragma once

#include <functional>
#include <memory>

#include "gps/core/work/stop.h"
#include "gps/experiments/planning/imagined_stream.h"
#include "gps/experiments/planning/recipe.h"
#include "gps/nn/network.h"

namespace gps {

// What all rehearsals of a stream share. It is only read.
struct Stage {
  const ImaginedStream& stream;
  const Method& method;  // recipes replace parts of it
  int classes = 0;
  // Makes an untrained network, whose weights are drawn from the given stream of random numbers.
  std::function<std::unique_ptr<Network>(const Rng&)> make_network;
  Rng rng;  // does not depend on the recipe
  const StopFlag* stop = nullptr;
};

class Rehearsal {
 public:
  // REQUIRES: the stage outlives the rehearsal.
  Rehearsal(const Recipe& recipe, const Stage& stage);

  // Trains up to and including this task. Does nothing if that was done before, or if the network
  // has died. Throws Interrupted on a stop request.
  void advance(int task);

  // Returns the accuracy after the last trained task: the mean over the tasks trained so far of the
  // accuracy on what was held back, averaged over the classes. 0 if the network is dead: training
  // diverged, or the network is no better than guessing on the task that it has just learnt.
  double accuracy();

  bool is_alive() const { return is_alive_; }

 private:
  const Stage& stage_;
  Method method_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<MemoryPolicy> policy_;
  Memory memory_;
  int done_ = 0;
  bool is_alive_ = true;
};

// Returns the number of steps of a task with this many examples.
std::size_t steps_of(const Recipe& recipe, const Method& method, std::size_t examples);

// Returns the work of one task, in steps of er with as many stored examples as new ones.
double work_of(const Recipe& recipe, const Method& method, std::size_t examples);

}  // namespace gps
