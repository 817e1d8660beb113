#include "gps/deployment/merge_tasks.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace gps {
namespace {

using Groups = std::map<int, std::vector<Example>>;

// The k-th of n stands at (k + 1/2)/n of the way.
std::vector<Example> interleaved(const std::vector<Example>& a, const std::vector<Example>& b) {
  std::vector<Example> both;
  std::size_t i = 0;
  std::size_t j = 0;
  while (both.size() < a.size() + b.size()) {
    const bool first =
        j == b.size() || (i < a.size() && (2 * i + 1) * b.size() <= (2 * j + 1) * a.size());
    both.push_back(first ? a[i++] : b[j++]);
  }
  return both;
}

void merge_smallest(Groups& groups) {
  auto best = groups.begin();
  const auto size_of = [](Groups::iterator at) {
    return at->second.size() + std::next(at)->second.size();
  };
  for (auto at = groups.begin(); std::next(at) != groups.end(); ++at) {
    if (size_of(at) < size_of(best)) best = at;
  }
  const auto second = std::next(best);
  best->second = interleaved(best->second, second->second);
  groups.erase(second);
}

}  // namespace

void merge_tasks(Memory& memory) {
  Groups groups;
  for (const Example& example : memory.examples()) groups[example.task].push_back(example);
  const std::size_t most = std::max<std::size_t>(2, memory.capacity() / kLeastShare);
  if (groups.size() < most) return;
  while (groups.size() >= most) merge_smallest(groups);
  memory.retain([](const Example&) { return false; });
  std::uint32_t id = 0;
  for (auto& [task, examples] : groups) {
    for (Example& example : examples) {
      example.task = task;
      example.id = id++;  // two tasks may have had the same
      memory.add(std::move(example));
    }
  }
}

}  // namespace gps
