#include "gps/simulation/scene.h"

namespace gps {

Scene::Scene(const Task& now, const SelectionOrders& orders, const Future& future,
             const SceneOptions& options, const Rng& rng)
    : now_(now),
      score_(options.score),
      future_share_(future.plan_share()),
      rng_(rng.fork("simulation")) {
  const auto is_held_back =
      hold_back(now.train, options.score, options.score_examples, rng.fork("hold back"));
  std::vector<std::uint32_t> scored;
  std::vector<std::uint32_t> rest;
  for (std::uint32_t row = 0; row < is_held_back.size(); ++row) {
    (is_held_back[row] ? scored : rest).push_back(row);
  }
  held_back_ = now.train.subset(scored).materialised();
  orders_ = orders.without(is_held_back);
  // Pseudo-tasks are made without the rows that are held back.
  const Task shown{now.number, now.train.subset(rest), now.labels, now.augmentation};
  future_ = future.after(shown, options.tasks, options.examples, rng.fork("pseudo-tasks"));
}

Situation Scene::situation(const Learner& learner, const Memory& memory,
                           const TrainOptions& training, InTask in_task,
                           const StopFlag* stop) const {
  return {
      .now = now_,
      .orders = orders_,
      .held_back = held_back_,
      .score = score_,
      .future = future_,
      .future_share = future_share_,
      .in_task = in_task,
      .learner = learner,
      .memory = memory,
      .training = training,
      .rng = rng_,
      .stop = stop,
  };
}

}  // namespace gps
