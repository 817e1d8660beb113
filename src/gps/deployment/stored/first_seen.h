// With which task each stored image came first: merged tasks (merge_tasks.h) share a number, so the
// examples themselves do not say it. Kept by the hash of the image as it is replayed.
#pragma once

#include <cstdint>
#include <vector>

#include "gps/core/files/archive.h"
#include "gps/memory/memory.h"

namespace gps {

class FirstSeen {
 public:
  std::size_t size() const { return hashes_.size(); }

  // Returns the task of a stored image; `otherwise` if it is not known.
  int task_of(std::uint64_t hash, int otherwise) const;

  // Forgets images that are in neither memory, and takes the others that it does not know for
  // images of the task that they are tagged with.
  void follow(const Memory& replayed, const Memory& tests);

  // Refuses hashes that are not in order, and tasks that are not from 1 to `tasks`.
  void persist(Archive& archive, int tasks);

 private:
  std::vector<std::uint64_t> hashes_;  // ascending, each once
  std::vector<std::uint32_t> tasks_;   // of each
};

}  // namespace gps
