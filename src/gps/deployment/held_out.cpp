#include "gps/deployment/held_out.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "gps/memory/quota.h"

namespace gps {
namespace {

using ByTask = std::map<int, std::size_t, std::greater<>>;  // the newest first

// Returns the slots of each task that holds or brings this many examples.
std::map<int, std::size_t> quotas(ByTask held, const Memory& tests, std::size_t capacity) {
  for (const Example& example : tests.examples()) ++held[example.task];
  std::vector<std::size_t> counts;
  for (const auto& [task, count] : held) counts.push_back(count);
  const std::vector<std::size_t> shares = deal(capacity, counts);
  std::map<int, std::size_t> of_task;
  std::size_t k = 0;
  for (const auto& [task, count] : held) of_task[task] = shares[k++];
  return of_task;
}

// The same if a new task, number `newest`, brings `available` examples.
std::map<int, std::size_t> quotas(const Memory& tests, int newest, std::size_t available) {
  return quotas({{newest, available}}, tests, tests.capacity());
}

std::size_t most_held_out(std::size_t of_class, double share) {
  if (of_class < 2) return 0;
  const auto most = static_cast<std::size_t>(share * static_cast<double>(of_class));
  return std::clamp<std::size_t>(most, 1, of_class - 1);
}

}  // namespace

std::size_t test_quota(const Memory& tests, std::size_t available) {
  constexpr int kNewest = std::numeric_limits<int>::max();
  return quotas(tests, kNewest, available).at(kNewest);
}

std::vector<std::uint32_t> hold_out(const Dataset& data, std::size_t count, double share,
                                    const Rng& rng) {
  auto by_class = data.rows_by_class();
  for (std::size_t c = 0; c < by_class.size(); ++c) {
    rng.fork("class", c).shuffle(std::span(by_class[c]));
    if (share < 1) by_class[c].resize(most_held_out(by_class[c].size(), share));
  }
  const auto order = rng.fork("class order").permutation(by_class.size());
  std::vector<std::uint32_t> rows;
  for (std::size_t round = 0; rows.size() < count; ++round) {
    const std::size_t before = rows.size();
    for (const std::uint32_t c : order) {
      if (round < by_class[c].size() && rows.size() < count) rows.push_back(by_class[c][round]);
    }
    if (rows.size() == before) break;
  }
  return rows;
}

void store_tests(Memory& tests, const Task& task, std::span<const std::uint32_t> rows) {
  std::map<int, std::size_t> left = quotas(tests, task.number, rows.size());
  tests.retain([&](const Example& example) {
    std::size_t& more = left[example.task];
    if (more == 0) return false;
    --more;
    return true;
  });
  Batch batch;
  for (const std::uint32_t& row : rows.first(std::min(rows.size(), left[task.number]))) {
    batch.gather(task, {&row, 1});
    tests.add(tests.make_example(batch, 0, Part::ring));
  }
}

Memory resized_tests(const Memory& tests, std::size_t capacity) {
  std::map<int, std::size_t> left = quotas({}, tests, capacity);
  Memory resized(capacity, tests.image_bytes());
  for (const Example& example : tests.examples()) {
    std::size_t& more = left[example.task];
    if (more == 0) continue;
    --more;
    resized.add(example);
  }
  return resized;
}

Dataset tests_of(const Memory& tests, int task, const ImageShape& shape, int classes) {
  std::vector<std::uint8_t> bytes;
  std::vector<Label> labels;
  std::vector<std::uint8_t> scratch(tests.image_bytes());
  for (const Example& example : tests.examples()) {
    if (example.task != task) continue;
    const std::uint8_t* const image = tests.image(example, scratch);
    bytes.insert(bytes.end(), image, image + tests.image_bytes());
    labels.push_back(example.label);
  }
  return {shape, std::move(bytes), labels, classes};
}

}  // namespace gps
