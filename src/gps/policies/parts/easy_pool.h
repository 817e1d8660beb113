// The pool of easy examples of the current task, for ER-CurRes and ER-CurRing-Full (Algorithms 4
// and 5 of the paper). It is computed again after each epoch. In the second half of the epochs,
// only its members are offered to the memory. When the task ends, its stored examples that are not
// easy are replaced by easy ones.
#pragma once

#include "gps/memory/memory.h"
#include "gps/policies/parts/learning_history.h"

namespace gps {

enum class PoolOf {
  task,        // the easiest γ|D| examples
  each_class,  // the easiest γ|D|/C of each class
};

class EasyPool {
 public:
  // `fraction` is γ, in (0, 1].
  EasyPool(double fraction, PoolOf of, EasyRank rank = EasyRank::loss)
      : fraction_(fraction), of_(of), history_(rank) {}

  double fraction() const { return fraction_; }

  void begin_task(const Task& task);
  void end_epoch(const Task& task, const Learner& learner, int epoch, int epochs);

  // Whether the first ⌈k/2⌉ of k epochs have passed. From then on only easy examples are offered.
  bool is_in_charge() const { return is_in_charge_; }

  // Whether this example of the current task is easy.
  bool contains(std::uint32_t id) const { return id < is_easy_.size() && is_easy_[id]; }

  // Replaces stored examples of this task that are not easy by random easy ones that are not
  // stored; for PoolOf::each_class, by ones of the same class. If the pool runs out, the remaining
  // examples stay.
  void swap_into(Memory& memory, const Task& task, const Rng& rng) const;

  void persist(Archive& archive) { archive(history_, is_easy_, is_in_charge_); }

 private:
  double fraction_;
  PoolOf of_;
  LearningHistory history_;
  std::vector<bool> is_easy_;  // by id
  bool is_in_charge_ = false;
};

}  // namespace gps
