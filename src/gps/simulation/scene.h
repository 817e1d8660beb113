// What all candidates of one search have in common, made when a task has ended: examples held back
// for scoring (A12), orders without them, and the future tasks (A28). The scene owns these; a
// Situation refers to them.
#pragma once

#include "gps/simulation/future.h"
#include "gps/simulation/global_sim.h"

namespace gps {

struct SceneOptions {
  int tasks = 0;             // number of future tasks
  std::size_t examples = 0;  // of each of them; 0: all
  Score score = Score::natural;
  std::size_t score_examples = 2000;  // largest number of examples held back
};

class Scene {
 public:
  // `orders` are those of `now`, which must outlive the scene. All random draws come from `rng`.
  Scene(const Task& now, const SelectionOrders& orders, const Future& future,
        const SceneOptions& options, const Rng& rng);

  const Dataset& held_back() const { return held_back_; }
  const std::vector<Task>& future() const { return future_; }

  // REQUIRES: the learner, the memory and the scene outlive the situation.
  Situation situation(const Learner& learner, const Memory& memory, const TrainOptions& training,
                      InTask in_task, const StopFlag* stop) const;

 private:
  const Task& now_;
  Score score_;
  Dataset held_back_;
  SelectionOrders orders_;
  std::vector<Task> future_;
  double future_share_;
  Rng rng_;
};

}  // namespace gps
