#include "gps/policies/parts/easy_pool.h"

namespace gps {

void EasyPool::begin_task(const Task& task) {
  history_.begin_task(task.train.size());
  is_easy_.clear();
  is_in_charge_ = false;
}

void EasyPool::end_epoch(const Task& task, const Learner& learner, int epoch, int epochs) {
  history_.check(task.train, learner, task.labels);
  const std::vector<bool> rows = of_ == PoolOf::task
                                     ? history_.easy(fraction_)
                                     : history_.easy_in_class(task.train, fraction_);
  is_easy_.clear();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!rows[row]) continue;
    const std::uint32_t id = task.train.id(row);
    if (id >= is_easy_.size()) is_easy_.resize(id + std::size_t{1}, false);
    is_easy_[id] = true;
  }
  is_in_charge_ = 2 * epoch >= epochs;  // epoch >= ⌈epochs/2⌉
}

void EasyPool::swap_into(Memory& memory, const Task& task, const Rng& rng) const {
  auto order = rng.fork("swap").permutation(task.train.size());
  std::erase_if(order, [&](std::uint32_t row) {
    const std::uint32_t id = task.train.id(row);
    return !contains(id) || memory.contains(task.number, id);
  });
  // One queue for all classes, or one for each class.
  const auto queue_of = [this](Label label) -> std::size_t {
    return of_ == PoolOf::task ? 0 : label;
  };
  std::vector<std::vector<std::uint32_t>> queues(static_cast<std::size_t>(task.train.classes()));
  for (const std::uint32_t row : order) queues[queue_of(task.train.label(row))].push_back(row);

  Batch batch;
  for (std::size_t slot = 0; slot < memory.size(); ++slot) {
    const Example& stored = memory[slot];
    if (stored.task != task.number || contains(stored.id)) continue;
    auto& queue = queues[queue_of(stored.label)];
    if (queue.empty()) continue;
    batch.gather(task, {&queue.back(), 1});
    memory.replace(slot, memory.make_example(batch, 0, stored.part));
    queue.pop_back();
  }
}

}  // namespace gps
