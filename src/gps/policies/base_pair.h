// The two base policies that mixed and gps mix (section 4.2): what makes the two orders from which
// the ring part and the reservoir part of a task are prefixes. `random` is the paper's pair,
// ER-Ring-Full and ER-Res; `curriculum` that of Appendix E, ER-CurRing-Full and ER-CurRes (GPS w/
// Cur): easy examples come first in both orders, in each class of the ring order.
#pragma once

#include <memory>

#include "gps/data/task.h"
#include "gps/learners/learner.h"
#include "gps/memory/select.h"
#include "gps/policies/learning_history.h"

namespace gps {

enum class Base { random, curriculum };

struct BaseOptions {
  Base base = Base::random;
  EasyOptions easy = {};  // for `curriculum`
};

class BasePair {
 public:
  virtual ~BasePair() = default;

  // As a MemoryPolicy's; what is learnt about the task in between may shape its orders.
  virtual void begin_task(const Task& /*task*/) {}
  virtual void end_epoch(const Task& /*task*/, const Learner& /*learner*/) {}

  // REQUIRES: the task is the one that began last.
  virtual SelectionOrders orders(const Task& task, const Rng& rng) const = 0;

  virtual void persist(Archive& /*archive*/) {}
};

std::unique_ptr<BasePair> make_base_pair(const BaseOptions& options);

}  // namespace gps
