// BuildM of the paper's Appendix A: M_i from M_{i-1}, the data of task i and a plan.
#pragma once

#include "gps/memory/memory.h"
#include "gps/memory/plan.h"
#include "gps/memory/select.h"

namespace gps {

// |M_{i,j}| for each task in memory and, last, for `now`, which can offer `available` examples. In
// the order of the tasks' numbers. What `memory` already holds of `now` does not count.
struct Quotas {
  std::vector<int> tasks;
  std::vector<std::size_t> sizes;
  std::size_t of(int task) const;
};
Quotas quotas_with(const Memory& memory, int now, std::size_t available);

// Shrinks every task's part to its quota: first the reservoir part, from its end, then the ring
// part, from its end (section 4.2, A10). Drops tasks without a quota.
void shrink(Memory& memory, const Quotas& quotas);

// M_i: the parts of earlier tasks shrunk to their quotas, and plan.ring_size class-balanced plus
// (quota - plan.ring_size) random examples of the task, as `orders` rank them. Whatever `memory`
// holds of this task is replaced. REQUIRES: plan.ring_size <= the task's quota.
void build_memory(Memory& memory, const Task& task, const SelectionOrders& orders,
                  const Plan& plan);

// The quota that build_memory gives this task when it can offer `available` examples: the upper end
// of a_i.
std::size_t quota_of(const Memory& memory, const Task& task, std::size_t available);

}  // namespace gps
