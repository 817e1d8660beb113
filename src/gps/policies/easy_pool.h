// What ER-CurRes and ER-CurRing-Full share (Algorithms 4 and 5 of the paper): the pool of easy
// examples of the current task, ranked again after each epoch. From the second half of the epochs
// on, only its members are offered to the memory. When the task ends, stored examples of it that
// are not easy are replaced by easy ones.
#pragma once

#include "gps/memory/memory.h"
#include "gps/policies/learning_history.h"

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

  // Have the first ⌈k/2⌉ of k epochs passed? From then on only easy examples are offered.
  bool is_in_charge() const { return is_in_charge_; }

  // Is this example of the current task easy?
  bool contains(std::uint32_t id) const { return id < is_easy_.size() && is_easy_[id]; }

  // Puts easy examples that are not stored, drawn at random, in place of stored ones of this task
  // that are not easy: for pools of each class, of the same class. Where the pool runs out, the
  // others stay.
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
