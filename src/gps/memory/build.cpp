#include "gps/memory/build.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "gps/memory/quota.h"

namespace gps {

std::size_t Quotas::of(int task) const {
  const auto at = std::find(tasks.begin(), tasks.end(), task);
  return at == tasks.end() ? 0 : sizes[static_cast<std::size_t>(at - tasks.begin())];
}

Quotas quotas_with(const Memory& memory, int now, std::size_t available) {
  std::map<int, std::size_t> stored;
  for (const Example& example : memory.examples()) ++stored[example.task];
  stored[now] = available;
  Quotas quotas;
  std::vector<std::size_t> can_fill;
  for (const auto& [task, count] : stored) {
    quotas.tasks.push_back(task);
    can_fill.push_back(count);
  }
  quotas.sizes = task_quotas(memory.capacity(), can_fill);
  return quotas;
}

void shrink(Memory& memory, const Quotas& quotas) {
  std::map<int, std::size_t> ring_left;
  std::map<int, std::size_t> reservoir_left;
  for (std::size_t t = 0; t < quotas.tasks.size(); ++t) {
    const int task = quotas.tasks[t];
    const auto is_ring = [task](const Example& e) {
      return e.task == task && e.part == Part::ring;
    };
    const auto ring = static_cast<std::size_t>(
        std::count_if(memory.examples().begin(), memory.examples().end(), is_ring));
    ring_left[task] = std::min(ring, quotas.sizes[t]);
    reservoir_left[task] = quotas.sizes[t] - ring_left[task];
  }
  memory.retain([&](const Example& example) {
    auto& left = example.part == Part::ring ? ring_left : reservoir_left;
    const auto at = left.find(example.task);
    if (at == left.end() || at->second == 0) return false;
    --at->second;
    return true;
  });
}

std::size_t quota_of(const Memory& memory, const Task& task, std::size_t available) {
  return quotas_with(memory, task.number, available).of(task.number);
}

void build_memory(Memory& memory, const Task& task, const SelectionOrders& orders,
                  const Plan& plan) {
  memory.retain([&](const Example& example) { return example.task != task.number; });
  const Quotas quotas = quotas_with(memory, task.number, orders.reservoir.size());
  shrink(memory, quotas);
  const Selection chosen = select(orders, plan.ring_size, quotas.of(task.number));
  Batch row;
  const auto add = [&](const std::vector<std::uint32_t>& rows, Part part) {
    for (const std::uint32_t r : rows) {
      row.gather(task, {&r, 1});
      memory.add(memory.make_example(row, 0, part));
    }
  };
  add(chosen.ring, Part::ring);
  add(chosen.reservoir, Part::reservoir);
}

}  // namespace gps
