#include "gps/policies/parts/class_rings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "gps/memory/build.h"
#include "gps/memory/quota.h"

namespace gps {
namespace {

// Takes the examples of one task out of the memory.
std::vector<Example> take_out(Memory& memory, int task) {
  std::vector<Example> taken;
  for (const Example& example : memory.examples()) {
    if (example.task == task) taken.push_back(example);
  }
  memory.retain([task](const Example& example) { return example.task != task; });
  return taken;
}

// Keeps the first `most` of each (task, class).
void shrink_classes(Memory& memory, std::size_t most) {
  std::map<std::pair<int, Label>, std::size_t> kept;
  memory.retain([&](const Example& example) {
    return kept[{example.task, example.label}]++ < most;
  });
}

}  // namespace

std::vector<std::size_t> class_sizes(const Dataset& data) {
  std::vector<std::size_t> sizes;
  for (const auto& rows : data.rows_by_class()) sizes.push_back(rows.size());
  return sizes;
}

std::vector<Example> round_robin(std::span<const Example> examples, const Rng& rng) {
  std::map<Label, std::vector<Example>> by_class;
  for (const Example& example : examples) by_class[example.label].push_back(example);
  std::vector<Label> classes;
  for (const auto& [label, unused] : by_class) classes.push_back(label);
  rng.fork("class order").shuffle(std::span(classes));
  std::vector<Example> ordered;
  for (std::size_t round = 0; ordered.size() < examples.size(); ++round) {
    for (const Label label : classes) {
      if (round < by_class[label].size()) ordered.push_back(by_class[label][round]);
    }
  }
  return ordered;
}

void ClassRings::begin_task(Memory& memory, int task, const std::vector<std::size_t>& available,
                            const Rng& rng) {
  const std::vector<Example> present = take_out(memory, task);
  rings_.assign(available.size(), {});
  if (quota_ == RingQuota::floor) {
    keys_ += available.size() - static_cast<std::size_t>(
                                    std::count(available.begin(), available.end(), std::size_t{0}));
    const std::size_t each = memory.capacity() / keys_;
    shrink_classes(memory, each);
    for (std::size_t c = 0; c < rings_.size(); ++c) rings_[c].quota = std::min(each, available[c]);
  } else {
    const std::size_t all = std::accumulate(available.begin(), available.end(), std::size_t{0});
    const Quotas quotas = quotas_with(memory, task, all);
    shrink(memory, quotas);
    // Classes in random order, so that the spare slots do not always go to the same ones.
    const auto order = rng.fork("spare").permutation(rings_.size());
    std::vector<std::size_t> ordered;
    for (const std::uint32_t c : order) ordered.push_back(available[c]);
    const auto shares = deal(quotas.of(task), ordered);
    for (std::size_t k = 0; k < order.size(); ++k) rings_[order[k]].quota = shares[k];
  }
  for (const Example& example : present) put(memory, example);
}

void ClassRings::check_fits(const Memory& memory) const {
  for (const Ring& ring : rings_) {
    const bool is_within = ring.quota <= memory.capacity() && ring.slots.size() <= ring.quota &&
                           ring.oldest < std::max<std::size_t>(1, ring.quota) &&
                           std::all_of(ring.slots.begin(), ring.slots.end(),
                                       [&](std::size_t slot) { return slot < memory.size(); });
    Archive::require(is_within, "the ring of a class has slots that the memory does not have");
  }
}

ClassRings::Ring& ClassRings::ring_of(Label label) {
  Archive::require(label < rings_.size(), "a class has no ring");
  return rings_[label];
}

void ClassRings::put(Memory& memory, Example example) {
  Ring& ring = ring_of(example.label);
  example.part = Part::ring;
  if (ring.slots.size() < ring.quota) {
    ring.slots.push_back(memory.size());
    memory.add(std::move(example));
  } else if (ring.quota > 0) {
    memory.replace(ring.slots[ring.oldest], std::move(example));
    ring.oldest = (ring.oldest + 1) % ring.quota;
  }
}

void ClassRings::offer(Memory& memory, const Batch& batch, std::size_t row) {
  const Ring& ring = ring_of(batch.labels[row]);
  const auto is_same = [&](std::size_t slot) { return memory[slot].id == batch.ids[row]; };
  if (ring.quota == 0 || std::any_of(ring.slots.begin(), ring.slots.end(), is_same)) return;
  put(memory, memory.make_example(batch, row, Part::ring));
}

void ClassRings::end_task(Memory& memory, int task, const Rng& rng) const {
  std::vector<Example> newest_first;
  for (const Ring& ring : rings_) {
    const std::size_t n = ring.slots.size();
    for (std::size_t k = 0; k < n; ++k)
      newest_first.push_back(memory[ring.slots[(ring.oldest + n - 1 - k) % n]]);
  }
  take_out(memory, task);
  for (Example& example : round_robin(newest_first, rng)) memory.add(std::move(example));
}

}  // namespace gps
