// ER-Ring-Full (Algorithm 7 of the paper): all (task, class) pairs seen so far share the whole
// memory equally. Finished tasks keep a class-balanced selection that shrinks as tasks arrive. Each
// class of the current task has a first-in-first-out ring of its quota, |M|/(t·C) (A6). Used by
// ring-full, cur-ring-full and, after its switch, hybrid.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "gps/memory/memory.h"
#include "gps/policies/policy.h"

namespace gps {

// Returns the examples in an order of which every prefix is class-balanced. Each round takes one
// example of every class; classes are in random order, the examples of a class in their given
// order.
std::vector<Example> round_robin(std::span<const Example> examples, const Rng& rng);

// Returns how many examples of each class the data has.
std::vector<std::size_t> class_sizes(const Dataset& data);

class ClassRings {
 public:
  explicit ClassRings(RingQuota quota) : quota_(quota) {}

  // Shrinks earlier tasks and opens the rings of this task, which has available[c] examples of
  // class c. Examples of this task that are already in memory go into the rings first, in the
  // memory's order.
  void begin_task(Memory& memory, int task, const std::vector<std::size_t>& available,
                  const Rng& rng);

  // Puts the example into the ring of its class, in place of the oldest one if the ring is full.
  // Does nothing if the example is already in the ring.
  void offer(Memory& memory, const Batch& batch, std::size_t row);

  // Orders this task's examples for later shrinking: class-balanced, newest first.
  void end_task(Memory& memory, int task, const Rng& rng) const;

  void persist(Archive& archive) {
    archive.between(keys_, 0, std::numeric_limits<std::uint32_t>::max(), "number of classes");
    archive(rings_);
  }
  // Throws DataError if it has read slots that the memory does not have.
  void check_fits(const Memory& memory) const;

 private:
  struct Ring {
    std::size_t quota = 0;
    std::vector<std::size_t> slots;  // slots of the memory, in the order in which they were filled
    std::size_t oldest = 0;          // index into slots of the oldest example, once full

    void persist(Archive& archive) { archive(quota, slots, oldest); }
  };
  void put(Memory& memory, Example example);
  // Throws DataError if what was read has no ring for the label.
  Ring& ring_of(Label label);

  RingQuota quota_;
  std::size_t keys_ = 0;     // (task, class) pairs seen so far; counted for RingQuota::floor
  std::vector<Ring> rings_;  // by label
};

}  // namespace gps
