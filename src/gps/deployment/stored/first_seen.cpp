#include "gps/deployment/stored/first_seen.h"

#include <algorithm>
#include <functional>
#include <map>

#include "gps/deployment/stored/image_hash.h"

namespace gps {

int FirstSeen::task_of(std::uint64_t hash, int otherwise) const {
  const auto at = std::lower_bound(hashes_.begin(), hashes_.end(), hash);
  if (at == hashes_.end() || *at != hash) return otherwise;
  return static_cast<int>(tasks_[static_cast<std::size_t>(at - hashes_.begin())]);
}

void FirstSeen::follow(const Memory& replayed, const Memory& tests) {
  std::map<std::uint64_t, std::uint32_t> stored;
  for (const Memory* memory : {&replayed, &tests}) {
    for (const Example& example : memory->examples()) {
      const std::uint64_t hash = hash_of(*memory, example);
      const auto task = static_cast<std::uint32_t>(task_of(hash, example.task));
      const auto [at, is_new] = stored.emplace(hash, task);
      if (!is_new) at->second = std::min(at->second, task);  // the same image in two tasks
    }
  }
  hashes_.clear();
  tasks_.clear();
  for (const auto& [hash, task] : stored) {
    hashes_.push_back(hash);
    tasks_.push_back(task);
  }
}

void FirstSeen::persist(Archive& archive, int tasks) {
  archive.section("first seen");
  archive(hashes_, tasks_);
  if (!archive.is_reading()) return;
  const bool is_in_order =
      std::adjacent_find(hashes_.begin(), hashes_.end(), std::greater_equal<>()) == hashes_.end();
  const bool are_tasks = std::all_of(tasks_.begin(), tasks_.end(), [&](std::uint32_t task) {
    return task >= 1 && task <= static_cast<std::uint32_t>(tasks);
  });
  Archive::require(is_in_order && are_tasks && hashes_.size() == tasks_.size(),
                   "the tasks of its stored images are not those of a state");
}

}  // namespace gps
