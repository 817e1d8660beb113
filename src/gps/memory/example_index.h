// Which examples a memory holds, by task and number, so that a large memory need not be searched.
// It is made when it is first needed, and then follows the memory. Copies start without one, since
// most copies of a memory are for simulations that never ask.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace gps {

class ExampleIndex {
 public:
  ExampleIndex() = default;
  ExampleIndex(const ExampleIndex& /*other*/) {}
  ExampleIndex& operator=(const ExampleIndex& /*other*/) {
    forget();
    return *this;
  }

  bool is_made() const { return is_made_; }

  void forget() {
    counts_.clear();
    is_made_ = false;
  }

  // REQUIRES: add() is then called for each example of the memory.
  void make() { is_made_ = true; }

  // Without effect unless the index is made.
  void add(int task, std::uint32_t id) {
    if (is_made_) ++counts_[key(task, id)];
  }
  // REQUIRES: it was added.
  void remove(int task, std::uint32_t id) {
    if (!is_made_) return;
    const auto at = counts_.find(key(task, id));
    if (--at->second == 0) counts_.erase(at);
  }

  // REQUIRES: the index is made.
  bool contains(int task, std::uint32_t id) const { return counts_.contains(key(task, id)); }

 private:
  static std::uint64_t key(int task, std::uint32_t id) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(task)) << 32 | id;
  }

  bool is_made_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> counts_;
};

}  // namespace gps
