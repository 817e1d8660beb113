#include "gps/deployment/merge_tasks.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace gps {
namespace {

using Groups = std::map<int, std::vector<Example>>;

// Interleaves two lists evenly: example k of n goes to position (k + 1/2)/n of the result.
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

// The first example of every class, then the second of each, and so on.
std::vector<Example> by_rounds(const std::vector<Example>& examples) {
  std::map<Label, std::size_t> seen;
  std::map<std::size_t, std::vector<Example>> rounds;
  for (const Example& example : examples) rounds[seen[example.label]++].push_back(example);
  std::vector<Example> ordered;
  for (const auto& [round, each] : rounds) ordered.insert(ordered.end(), each.begin(), each.end());
  return ordered;
}

// Merges the two neighbours that together stand for the fewest tasks.
void merge_shortest(Groups& groups, int now) {
  const auto tasks_of = [&](Groups::iterator at) {
    const auto after = std::next(at, 2);
    return (after == groups.end() ? now : after->first) - at->first;
  };
  auto best = groups.begin();
  for (auto at = groups.begin(); std::next(at) != groups.end(); ++at) {
    if (tasks_of(at) < tasks_of(best)) best = at;
  }
  const auto second = std::next(best);
  best->second = by_rounds(interleaved(best->second, second->second));
  for (Example& example : best->second) {
    example.task = best->first;
    example.part = Part::ring;
  }
  groups.erase(second);
}

}  // namespace

void merge_tasks(Memory& memory, int now, std::size_t least) {
  Groups groups;
  for (const Example& example : memory.examples()) groups[example.task].push_back(example);
  const std::size_t most = std::max<std::size_t>(2, memory.capacity() / least);
  if (groups.size() < most) return;
  while (groups.size() >= most) merge_shortest(groups, now);
  memory.retain([](const Example&) { return false; });
  std::uint32_t id = 0;
  for (auto& [task, examples] : groups) {
    for (Example& example : examples) {
      example.id = id++;  // examples of two tasks may have had the same id
      memory.add(std::move(example));
    }
  }
}

}  // namespace gps
