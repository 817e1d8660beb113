// Policies that remember something about the slots of the memory from one task to the next
// (PolicyEntry::has_lasting_state). If somebody else changes the memory between two tasks, they
// must be told.
#pragma once

#include <cstdint>
#include <span>

#include "gps/memory/memory.h"

namespace gps {

// What was learnt before a policy takes over.
struct EarlierTasks {
  std::uint64_t tasks = 0;
  std::uint64_t examples = 0;  // each counted once for each time that it was trained on
};

class FollowsMemory {
 public:
  // The memory has another capacity, or has lost examples. kept[k] is the slot that memory[k] had
  // before. Throws std::out_of_range for a slot that the policy does not know.
  virtual void follow(const Memory& memory, std::span<const std::size_t> kept) = 0;

  // Another policy has filled the memory.
  virtual void take_over(const Memory& memory, const EarlierTasks& before) = 0;

 protected:
  ~FollowsMemory() = default;
};

}  // namespace gps
