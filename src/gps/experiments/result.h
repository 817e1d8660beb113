// The result of a run, and its JSON form (docs/result-format.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gps/core/errors.h"
#include "gps/experiments/metrics.h"
#include "gps/experiments/planning/plan_record.h"
#include "gps/experiments/spec/spec.h"

namespace gps {

// A result, or its row in the store, that contradicts itself or does not match its checksum. The
// message of a result begins with "damaged: ".
class DamagedResult : public DataError {
 public:
  using DataError::DataError;
};

// The examples of one task in the memory: their number by class in each part.
struct TaskShare {
  int task = 0;
  std::vector<std::size_t> ring;
  std::vector<std::size_t> reservoir;

  void persist(Archive& archive) { archive(task, ring, reservoir); }
};
// The memory after one task: the shares of all tasks up to it.
using Composition = std::vector<TaskShare>;

Composition composition_of(const Memory& memory, int tasks, int classes);

struct Seconds {
  double training = 0;
  double simulation = 0;
  double evaluation = 0;

  void persist(Archive& archive) { archive(training, simulation, evaluation); }
};

// The accuracy on a stream with different classes in each task if the task is not told: the test
// examples of each task, classified among all classes.
struct ClassIncremental {
  AccuracyMatrix accuracy;
  std::vector<double> accuracy_at_initialisation;
  Metrics metrics;
};

// Accuracies are among the labels of the task (Benchmark::labels_of), unless stated otherwise.
struct RunResult {
  Spec spec;
  std::uint64_t seed = 0;
  AccuracyMatrix accuracy;  // a row for each stage; evaluation.h says how long each is
  AccuracyMatrix class_accuracy;
  std::vector<double> accuracy_at_initialisation;
  Metrics metrics;
  std::vector<std::vector<Label>> labels;  // of each task; empty: every task has all labels
  std::optional<ClassIncremental> class_incremental;  // if tasks have different labels
  std::vector<std::string> class_names;               // by label; empty: classes are numbers
  std::vector<std::string> task_names;                // by task; empty: tasks are numbers
  std::size_t skipped_images = 0;                     // number of images that could not be read
  std::vector<Decision> decisions;
  PlanRecord plan;                    // empty: nothing was planned
  std::vector<Composition> memory;    // after each task
  std::size_t memory_bytes = 0;       // of its content after the last task; 0: not recorded
  std::vector<std::string> warnings;  // for people; see warnings.h
  bool has_collapsed = false;         // whether the network is dead; see warnings.h
  std::size_t steps = 0;
  Seconds seconds;
  std::size_t peak_memory_bytes = 0;
};

// Checks what readers of a result rely on: every list has the length that the spec or another list
// gives it, labels and tasks are in range, and accuracies are shares. Throws DamagedResult, which
// names the key in the JSON. Every result of run() passes.
void validate(const RunResult& result);

// The key `checksum` is a checksum of all others (core/json_checksum.h).
nlohmann::json to_json(const RunResult& result);

// Reads the JSON back, bit for bit. Throws DataError, which names the key, if it is not a result,
// or has another schema; and DamagedResult if it contradicts itself.
RunResult result_from_json(const nlohmann::json& json);

// Returns eight hexadecimal digits: FNV-1a (32 bits) of the text, or of the spec's canonical JSON.
std::string text_hash(const std::string& text);
std::string spec_hash(const Spec& spec);

// Returns for example "p-mnist-er-gps-seed3-1a2b3c4d.json": readable, and different for different
// specs.
std::string file_name(const Spec& spec, std::uint64_t seed);

// Reads a file of save(). Throws DataError, which names the file, if it cannot be read, is damaged,
// or is the result of another run.
RunResult read_result(const std::filesystem::path& path, const Spec& spec, std::uint64_t seed);

// Writes the JSON into the folder, which is made if necessary. The file appears whole or not at
// all, and is on the disk when this returns.
std::filesystem::path save(const RunResult& result, const std::filesystem::path& folder);

}  // namespace gps
