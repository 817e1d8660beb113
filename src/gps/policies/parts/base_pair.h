// The two base policies that mixed and gps mix (section 4.2). They put a task's examples into two
// orders; the ring part and the reservoir part are taken from the start of these. `random` is the
// paper's pair, ER-Ring-Full and ER-Res. `curriculum` is the pair of Appendix E, ER-CurRing-Full
// and ER-CurRes (GPS w/ Cur): easy examples come first in both orders, in the ring order within
// each class.
#pragma once

#include <memory>

#include "gps/data/task.h"
#include "gps/learners/learner.h"
#include "gps/memory/select.h"
#include "gps/policies/parts/learning_history.h"

namespace gps {

enum class Base { random, curriculum };

struct BaseOptions {
  Base base = Base::random;
  EasyOptions easy = {};  // for `curriculum`
};

class BasePair {
 public:
  virtual ~BasePair() = default;

  // Called when a task begins and after each of its epochs. Here a pair can record how the task is
  // learnt, to shape its orders.
  virtual void begin_task(const Task& /*task*/) {}
  virtual void end_epoch(const Task& /*task*/, const Learner& /*learner*/) {}

  // REQUIRES: the task is the one that began last.
  virtual SelectionOrders orders(const Task& task, const Rng& rng) const = 0;

  virtual void persist(Archive& /*archive*/) {}
};

std::unique_ptr<BasePair> make_base_pair(const BaseOptions& options);

}  // namespace gps
