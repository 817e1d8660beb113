// What every memory policy must keep (section 3 of the paper), and the streams it is tried on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gps/data/transforms.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "gps/policies/watching.h"
#include "gps/training/trainer.h"
#include "support/tiny_data.h"

namespace gps::testing {

constexpr int kSide = 4;
constexpr int kEpochs = 3;
constexpr std::size_t kImageBytes = 16;

struct Stream {
  std::string name;
  std::vector<Task> tasks;
};

// Ids are not row numbers, and every task but the first has its pixels rearranged.
inline Task scrambled_task(int number, const std::vector<std::size_t>& counts) {
  const Rng rng = Rng(17).fork("scrambled task", number);
  const Dataset data = tiny_dataset(counts, static_cast<std::uint64_t>(number), kSide);
  const Dataset scrambled = data.subset(rng.fork("rows").permutation(data.size()));
  if (number == 1) return {number, scrambled};
  return {number, scrambled.rearranged(random_pixel_map(data.shape(), rng.fork("pixels")))};
}

// Streams of this many classes: even ones, long-tailed ones, ones with fewer examples than any
// quota, and ones whose classes come and go.
inline std::vector<Stream> streams(std::size_t classes, int tasks) {
  const auto make = [&](const std::string& name, const auto& count) {
    Stream stream{name + " of " + std::to_string(classes) + " classes", {}};
    for (int t = 1; t <= tasks; ++t) {
      std::vector<std::size_t> counts;
      for (std::size_t c = 0; c < classes; ++c) {
        counts.push_back(count(static_cast<std::size_t>(t), c));
      }
      stream.tasks.push_back(scrambled_task(t, counts));
    }
    return stream;
  };
  using Size = std::size_t;
  return {
      make("even", [](Size, Size) { return Size{9}; }),
      make("long-tailed", [](Size, Size c) { return std::max(Size{1}, Size{20} >> c); }),
      make("scarce", [](Size t, Size c) { return 1 + (c + t) % 3; }),
      make("changing",
           [&](Size t, Size c) {
             const Size present = std::max(Size{1}, classes >> ((t - 1) % 3));
             return c < present ? 3 + t : 0;
           }),
  };
}

// Passes everything on, and watches the memory after each call.
class Watcher final : public WatchingPolicy {
 public:
  explicit Watcher(MemoryPolicy& policy) : policy_(policy) {}

  void begin_task(Memory& memory, const Task& task, const Rng& rng) override {
    offered = 0;
    policy_.begin_task(memory, task, rng);
    look(memory);
  }
  void watch(Memory& memory, const Batch& batch, Learner& learner, Rng& rng) override {
    offered += batch.size();
    tell_step(policy_, memory, batch, learner, rng);
    look(memory);
  }
  void watch_epoch(Memory& memory, const Task& task, const Learner& learner, int epoch, int epochs,
                   const Rng& rng) override {
    tell_epoch(policy_, memory, task, learner, epoch, epochs, rng);
    look(memory);
  }

  std::size_t largest = 0;
  std::size_t most_bytes = 0;
  std::size_t offered = 0;          // in the current task
  std::size_t offered_at_ring = 0;  // when something was first in a ring

 private:
  void look(const Memory& memory) {
    largest = std::max(largest, memory.size());
    most_bytes = std::max(most_bytes, memory.bytes(/*classes=*/0));
    if (has_ring_) return;
    has_ring_ = std::any_of(memory.examples().begin(), memory.examples().end(),
                            [](const Example& example) { return example.part == Part::ring; });
    if (has_ring_) offered_at_ring = offered;
  }

  MemoryPolicy& policy_;
  bool has_ring_ = false;
};

// One finished task of a stream.
struct Record {
  Memory before;  // M_{i-1}
  Memory after;   // M_i
  std::size_t largest = 0;
  // Rings were opened in the last epoch, so they have not been offered the whole task.
  bool has_late_rings = false;
  std::size_t most_bytes = 0;
};

inline std::unique_ptr<Learner> tiny_learner(const Task& task, const std::string& name = "sgd") {
  LearnerOptions options;
  options.name = name;
  const std::vector<std::size_t> sizes = {task.train.shape().bytes(),
                                          static_cast<std::size_t>(task.train.classes())};
  return make_learner(options, std::make_unique<FusedMlp>(sizes, Initialisation::xavier, Rng(1)));
}

// Trains the tasks one after another, closing each. `memory` is empty.
inline std::vector<Record> drive(MemoryPolicy& policy, const std::vector<Task>& tasks,
                                 Memory memory, std::uint64_t seed = 1) {
  const TrainOptions training{.epochs = kEpochs, .batch = 10};
  const auto learner = tiny_learner(tasks.front());
  Watcher watcher(policy);
  std::vector<Record> records;
  for (const Task& task : tasks) {
    const Memory before = memory;
    const Rng rng = Rng(seed).fork("task", task.number);
    watcher.offered_at_ring = 0;
    train_task(*learner, watcher, memory, task, training, rng);
    tell_end(policy, memory, task, *learner, rng.fork("end"));
    records.push_back({before, memory, std::max(watcher.largest, memory.size()),
                       watcher.offered_at_ring > (kEpochs - 1) * task.train.size(),
                       std::max(watcher.most_bytes, memory.bytes(/*classes=*/0))});
  }
  return records;
}

inline std::vector<Record> drive(MemoryPolicy& policy, const std::vector<Task>& tasks,
                                 std::size_t capacity, std::uint64_t seed = 1) {
  return drive(policy, tasks, Memory(capacity, kImageBytes), seed);
}

inline void expect_within_capacity(const std::vector<Record>& records) {
  for (const Record& record : records) EXPECT_LE(record.largest, record.after.capacity());
}

inline void expect_seen_examples_once(const std::vector<Record>& records) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::set<std::pair<int, std::uint32_t>> keys;
    for (const Example& example : records[i].after.examples()) {
      EXPECT_GE(example.task, 1);
      EXPECT_LE(example.task, static_cast<int>(i) + 1) << "of the future";
      EXPECT_TRUE(keys.emplace(example.task, example.id).second)
          << "task " << example.task << ", id " << example.id << " twice";
    }
  }
}

inline void expect_full(const std::vector<Record>& records, const std::vector<Task>& tasks) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].has_late_rings) continue;
    EXPECT_EQ(records[i].after.size(), std::min(records[i].after.capacity(),
                                                records[i].before.size() + tasks[i].train.size()))
        << "after task " << i + 1;
  }
}

inline void expect_subsets_of_before(const std::vector<Record>& records) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::set<std::pair<int, std::uint32_t>> before[2];
    for (const Example& example : records[i].before.examples()) {
      before[static_cast<std::size_t>(example.part)].emplace(example.task, example.id);
    }
    for (const Example& example : records[i].after.examples()) {
      if (example.task == static_cast<int>(i) + 1) continue;
      const auto& part = before[static_cast<std::size_t>(example.part)];
      EXPECT_TRUE(part.contains({example.task, example.id}))
          << "task " << example.task << ", id " << example.id << " is new after task " << i + 1;
    }
  }
}

inline void expect_true_images(const std::vector<Record>& records, const std::vector<Task>& tasks) {
  std::vector<std::uint8_t> scratch(kImageBytes);
  for (const Example& example : records.back().after.examples()) {
    const Dataset& data = tasks.at(static_cast<std::size_t>(example.task) - 1).train;
    std::size_t row = 0;
    while (row < data.size() && data.id(row) != example.id) ++row;
    ASSERT_LT(row, data.size()) << "no such id";
    const std::uint8_t* image = data.image(row, scratch);
    EXPECT_TRUE(std::equal(image, image + kImageBytes, example.image.get()));
    EXPECT_EQ(example.label, data.label(row));
  }
}

inline void expect_same(const Memory& a, const Memory& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t slot = 0; slot < a.size(); ++slot) {
    EXPECT_EQ(a[slot].task, b[slot].task);
    EXPECT_EQ(a[slot].id, b[slot].id);
    EXPECT_EQ(a[slot].part, b[slot].part);
  }
}

}  // namespace gps::testing
