// Everything that a classifier remembers between two tasks: its options, the names of its classes,
// what it learnt and when, its network, its memory, its test examples, and a hash of each image
// that it was trained on. It is stored as one archive (core/files/archive.h) by state_folder.h.
//
// A new learner is made for each task. What it needs besides the network is computed from the
// network and the memory (iCaRL's means and its old network), so it is not stored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gps/deployment/learn_options.h"
#include "gps/deployment/stored/erased_images.h"
#include "gps/deployment/stored/first_seen.h"
#include "gps/deployment/trained_images.h"
#include "gps/learners/learner.h"
#include "gps/memory/memory.h"
#include "gps/memory/plan.h"

namespace gps {

// One task that was learnt.
struct TaskRecord {
  std::string name = {};           // name of its data
  std::int64_t when = 0;           // in seconds since 1970
  std::uint64_t examples = 0;      // number of training examples
  std::vector<Label> labels = {};  // its classes, ascending
  std::uint32_t new_classes = 0;
  std::uint64_t tested = 0;  // number of test examples; 0: the accuracies are unknown
  double accuracy = 0;       // after it was learnt, among its own classes
  double among_all = 0;      // the same, among all classes known then
  Plan plan = {};            // for its memory, if quota > 0
  std::uint64_t quota = 0;   // number of its stored examples; 0: its policy makes no decisions
  std::string data = {};     // its fingerprint (learn.h); empty in states of format 1

  // Writes or reads all members; formats before 3 have only ring_size of the plan, and `data`
  // elsewhere (learn_state.cpp).
  void persist(Archive& archive, std::uint32_t format);
};

struct LearnState {
  // Makes a state that has learnt nothing yet. REQUIRES: settled options, with the shape of the
  // images.
  explicit LearnState(const LearnOptions& settled);

  LearnOptions options;
  std::vector<std::string> classes;  // by label
  std::vector<TaskRecord> tasks;     // task i is tasks[i - 1]
  std::unique_ptr<Learner> learner;  // null before the first task
  Memory memory;                     // replayed examples
  Memory tests;                      // never trained on; of each task, the most wanted first
  std::string policy;                // what the policy remembers besides the memory
  TrainedImages trained;             // images of all tasks; of states before format 5, those that
                                     // were stored when they were read
  FirstSeen first_seen;              // of the stored images
  ErasedImages erased;               // must not be learnt again

  Rng rng() const { return Rng(options.seed); }
  // Returns the labels of all classes.
  std::vector<Label> labels() const;
};

// Adds new classes: grows the head and the stored logits, and makes a new learner. If logits count
// in a budget in bytes, the memory shrinks first. Throws UsageError if the network is the user's
// own and has no outputs left, or if not even one example fits any more.
void add_classes(LearnState& state, const std::vector<std::string>& names);

// Makes a new learner around the network, in the state it had when the last task ended.
void renew_learner(LearnState& state, std::unique_ptr<Network> network);

// Format 2 added TaskRecord::data. Format 3 has plans by the keys of their knobs (memory/plan.h),
// so that a new knob needs no new format. Format 4 has the same body; the format is part of the
// checksum (core/files/framed.h). Format 5 added LearnState::trained, and
// format 6 first_seen and erased.
inline constexpr std::uint32_t kStateFormat = 6;
std::string to_bytes(LearnState& state, std::uint32_t format = kStateFormat);

// Throws DataError for bytes that are not a state, and NewerFormat for a state with a knob that
// this program does not know. A user's own model is read from `folder`.
LearnState state_from(std::string bytes, const std::filesystem::path& folder,
                      std::uint32_t format = kStateFormat);

}  // namespace gps
