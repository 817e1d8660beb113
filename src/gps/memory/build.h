// BuildM of the paper's Appendix A: builds M_i from M_{i-1}, the data of task i and a plan.
#pragma once

#include "gps/memory/memory.h"
#include "gps/memory/plan.h"
#include "gps/memory/select.h"

namespace gps {

// Quotas |M_{i,j}|: tasks[k] gets sizes[k] slots. Tasks are in ascending order.
struct Quotas {
  std::vector<int> tasks;
  std::vector<std::size_t> sizes;
  std::size_t of(int task) const;
};
// Returns the quotas of the tasks in memory and of task `now`, which can offer `available`
// examples. Examples of `now` that are already in memory do not count.
Quotas quotas_with(const Memory& memory, int now, std::size_t available);

// Shrinks each task to its quota: drops reservoir examples first, then ring examples, each from the
// end (section 4.2, A10). Drops all examples of tasks without a quota.
void shrink(Memory& memory, const Quotas& quotas);

// Builds M_i: shrinks earlier tasks to their quotas and adds examples of the task in the order of
// `orders`, plan.ring_size class-balanced ones and (quota - plan.ring_size) random ones. Replaces
// the examples of this task that are already in memory. REQUIRES: plan.ring_size <= the task's
// quota.
void build_memory(Memory& memory, const Task& task, const SelectionOrders& orders,
                  const Plan& plan);

// Returns the quota that build_memory() gives this task if it can offer `available` examples. It is
// the largest possible a_i.
std::size_t quota_of(const Memory& memory, const Task& task, std::size_t available);

}  // namespace gps
