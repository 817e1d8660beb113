#include "asked_gps.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "gps/policies/mixed.h"
#include "gps/simulation/futures/transformed.h"

namespace gps::python {

AskedScene::AskedScene(Memory memory, Task now, SelectionOrders orders,
                       const SimulationOptions& options, int tasks, const Rng& rng)
    : memory_(std::move(memory)),
      now_(std::move(now)),
      orders_(std::move(orders)),
      options_(options),
      future_(make_transformed([](Task&, int, const Rng&) {})),
      scene_(now_, orders_, *future_,
             {tasks, options.examples, options.score, options.score_examples}, rng),
      situation_(scene_.situation(learner_, memory_, options.training, options.in_task, nullptr)) {}

const Task& AskedScene::pseudo_task(int k) const {
  if (k < 1 || k > pseudo_tasks())
    throw UsageError(
        fmt::format("pseudo-task must be between 1 and {}, got {}", pseudo_tasks(), k));
  return scene_.future()[static_cast<std::size_t>(k - 1)];
}

std::uint64_t AskedScene::seed() const {
  Rng rng = situation_.rng.fork("asked");
  return rng.next_u64() >> 1;  // fits a signed number
}

AskedCandidate::AskedCandidate(std::shared_ptr<const AskedScene> scene, const Plan& plan,
                               int number)
    : scene_(std::move(scene)),
      plan_(plan),
      number_(number),
      memory_(candidate_memory(plan, scene_->situation())),
      policy_(make_mixed({scene_->situation().future_share}, InTask::strict)) {}

AskedCandidate::Change AskedCandidate::advance() {
  const Task& task = scene_->pseudo_task(ended_ + 1);
  const Memory before = memory_;
  const NoLearner learner;
  // The streams are those of global_sim().
  const Rng rng = scene_->situation().rng.fork("future", task.number);
  policy_->begin_task(memory_, task, rng.fork("begin"));
  tell_end(*policy_, memory_, task, learner, rng.fork("end"));
  ++ended_;

  std::map<std::pair<int, std::uint32_t>, std::int64_t> slots;
  for (std::size_t slot = 0; slot < before.size(); ++slot)
    slots[{before[slot].task, before[slot].id}] = static_cast<std::int64_t>(slot);
  std::map<std::uint32_t, std::int64_t> rows;
  for (std::size_t row = 0; row < task.train.size(); ++row)
    rows[task.train.id(row)] = static_cast<std::int64_t>(row);
  Change change;
  for (const Example& example : memory_.examples()) {
    if (example.task == task.number) {
      change.added.push_back(rows.at(example.id));
    } else {
      change.kept.push_back(slots.at({example.task, example.id}));
    }
  }
  return change;
}

Decision AskedGps::choose(const TaskEnd& end) {
  const int tasks = simulated_tasks(end.task.number, options_);
  const PlanLine line = plans_up_to(end.quota);
  if (tasks == 0) return {end.task.number, line.at(line.last / 2), end.quota, {}};
  const auto scene = std::make_shared<const AskedScene>(end.memory, end.task, end.orders, options_,
                                                        tasks, end.rng);
  int number = 0;
  const ScorePlans score = [&](std::span<const Plan> plans) {
    std::vector<Outcome> outcomes;
    for (const Plan& plan : plans)
      outcomes.push_back(ask_(std::make_shared<AskedCandidate>(scene, plan, ++number)));
    return outcomes;
  };
  const SearchSteps steps = search_steps(end.memory.capacity(), end.task.number, options_);
  SearchResult found =
      search_switching_point(line, steps.stride, options_.objective, score, {}, steps.nearby);
  return {end.task.number, found.plan, end.quota, std::move(found.trials)};
}

}  // namespace gps::python
