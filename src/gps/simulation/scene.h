// What all candidates of one search face, made when a task has ended: examples held back for
// scoring (A12), orders without them, and the tasks to come (A28). It owns what a Situation refers
// to.
#pragma once

#include "gps/simulation/future.h"
#include "gps/simulation/global_sim.h"

namespace gps {

struct SceneOptions {
  int tasks = 0;             // to come
  std::size_t examples = 0;  // of each of them; 0: all
  Score score = Score::natural;
  std::size_t score_examples = 2000;  // held back, at most
};

class Scene {
 public:
  // `orders` are those of `now`, which must outlive the scene. Everything drawn comes from `rng`.
  Scene(const Task& now, const SelectionOrders& orders, const Future& future,
        const SceneOptions& options, const Rng& rng);

  const Dataset& held_back() const { return held_back_; }
  const std::vector<Task>& future() const { return future_; }

  // REQUIRES: learner and memory outlive it, and so does the scene.
  Situation situation(const Learner& learner, const Memory& memory, const TrainOptions& training,
                      InTask in_task, const StopFlag* stop) const;

 private:
  const Task& now_;
  Score score_;
  Dataset held_back_;
  SelectionOrders orders_;
  std::vector<Task> future_;
  double future_ring_ratio_;
  Rng rng_;
};

}  // namespace gps
