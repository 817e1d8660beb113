// Everything that a classifier remembers between two tasks: its options, the names of its classes,
// what it learnt and when, its network, its memory, and its test examples. It is stored as one
// archive (core/files/archive.h) by state_folder.h.
//
// Learners are made anew for each task. What they need besides the network follows from it and from
// the memory (iCaRL's means and its old network), and so takes no room.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gps/deployment/learn_options.h"
#include "gps/learners/learner.h"
#include "gps/memory/memory.h"
#include "gps/memory/plan.h"

namespace gps {

// One task that was learnt.
struct TaskRecord {
  std::string name = {};           // of its data
  std::int64_t when = 0;           // in seconds since 1970
  std::uint64_t examples = 0;      // that it was trained on
  std::vector<Label> labels = {};  // its classes, ascending
  std::uint32_t new_classes = 0;
  std::uint64_t tested = 0;  // examples behind the accuracies; 0: nobody knows them
  double accuracy = 0;       // when it had been learnt, among its own classes
  double among_all = 0;      // and among all that were known then
  Plan plan = {};            // of what it stored …
  std::uint64_t quota = 0;   // … of so many examples; 0: its policy decides nothing
  std::string data = {};     // its fingerprint (learn.h); none in states of format 1

  // All but the last, and of the plan what states of format 1 have. A knob that is added to Plan
  // goes where `data` does, in a format of its own.
  void persist(Archive& archive) {
    archive(name, when, examples, labels, new_classes, tested, accuracy, among_all, plan.ring_size,
            quota);
  }
};

struct LearnState {
  // Nothing learnt yet. REQUIRES: settled options, with the shape of the images.
  explicit LearnState(const LearnOptions& settled);

  LearnOptions options;
  std::vector<std::string> classes;  // by label
  std::vector<TaskRecord> tasks;     // task i is tasks[i - 1]
  std::unique_ptr<Learner> learner;  // null before the first task
  Memory memory;                     // replayed
  Memory tests;        // never trained on; each task's from the most to the least wanted
  std::string policy;  // what it remembers besides the memory

  Rng rng() const { return Rng(options.seed); }
  // The label of every class.
  std::vector<Label> labels() const;
};

// Takes new classes in: the head grows, and what is stored with it. Throws UsageError if the
// network is the user's own and has no outputs left.
void add_classes(LearnState& state, const std::vector<std::string>& names);

// The learner made anew around its network, as it was when the last task had ended.
void renew_learner(LearnState& state, std::unique_ptr<Network> network);

// Format 2 added TaskRecord::data.
inline constexpr std::uint32_t kStateFormat = 2;
std::string to_bytes(LearnState& state, std::uint32_t format = kStateFormat);

// Throws DataError for bytes that are no state. A model of the user's own is read from `folder`.
LearnState state_from(std::string bytes, const std::filesystem::path& folder,
                      std::uint32_t format = kStateFormat);

}  // namespace gps
