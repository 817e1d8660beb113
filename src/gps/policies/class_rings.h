// ER-Ring-Full (Algorithm 7 of the paper): the whole memory is shared by the (task, class) pairs
// seen so far, equally. Finished tasks keep a class-balanced choice that shrinks as tasks arrive;
// each class of the current task is a first-in-first-out ring of its quota, |M|/(t·C) (A6). Shared
// by ring-full and by hybrid, once it has switched.
#pragma once

#include <span>

#include "gps/memory/memory.h"
#include "gps/policies/policy.h"

namespace gps {

// Puts examples into an order of which every prefix is class-balanced: class after class, round
// after round, each class in its given order, classes in random order.
std::vector<Example> round_robin(std::span<const Example> examples, const Rng& rng);

// How many examples of each class the data has.
std::vector<std::size_t> class_sizes(const Dataset& data);

class ClassRings {
 public:
  explicit ClassRings(RingQuota quota) : quota_(quota) {}

  // Shrinks what earlier tasks hold and opens the rings of this one, which has so many examples of
  // each class. What the memory already holds of this task goes into its rings first, oldest first.
  void begin_task(Memory& memory, int task, const std::vector<std::size_t>& available,
                  const Rng& rng);

  // Puts the example into the ring of its class, in place of the oldest one if the ring is full.
  // One that is in the ring already stays where it is.
  void offer(Memory& memory, const Batch& batch, std::size_t row);

  // Orders this task's examples for shrinking: class-balanced, newest first.
  void end_task(Memory& memory, int task, const Rng& rng) const;

  void persist(Archive& archive) { archive(keys_, rings_); }

 private:
  struct Ring {
    std::size_t quota = 0;
    std::vector<std::size_t> slots;  // in the memory, in the order in which they were filled
    std::size_t oldest = 0;          // index into slots, once it is full

    void persist(Archive& archive) { archive(quota, slots, oldest); }
  };
  void put(Memory& memory, Example example);

  RingQuota quota_;
  std::size_t keys_ = 0;     // (task, class) pairs seen so far
  std::vector<Ring> rings_;  // by label
};

}  // namespace gps
