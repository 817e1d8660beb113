// What a run leaves behind, and its JSON form (docs/result-format.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gps/experiments/metrics.h"
#include "gps/experiments/spec.h"

namespace gps {

// What the memory held of one task: examples of each class in either part.
struct TaskShare {
  int task = 0;
  std::vector<std::size_t> ring;
  std::vector<std::size_t> reservoir;

  void persist(Archive& archive) { archive(task, ring, reservoir); }
};
// After one task: the shares of all tasks up to it.
using Composition = std::vector<TaskShare>;

Composition composition_of(const Memory& memory, int tasks, int classes);

struct Seconds {
  double training = 0;
  double simulation = 0;
  double evaluation = 0;

  void persist(Archive& archive) { archive(training, simulation, evaluation); }
};

// How a stream that divides its classes among the tasks does without being told the task: the test
// examples of each task, judged among all classes.
struct ClassIncremental {
  AccuracyMatrix accuracy;
  std::vector<double> accuracy_at_initialisation;
  Metrics metrics;
};

// Accuracies are among the labels of the task (Benchmark::labels_of), unless said otherwise.
struct RunResult {
  Spec spec;
  std::uint64_t seed = 0;
  AccuracyMatrix accuracy;
  AccuracyMatrix class_accuracy;
  std::vector<double> accuracy_at_initialisation;
  Metrics metrics;
  std::vector<std::vector<Label>> labels;  // of each task; empty: all tasks have all of them
  std::optional<ClassIncremental> class_incremental;  // where tasks have labels of their own
  std::vector<std::string> class_names;               // by label; empty: they are numbers
  std::vector<std::string> task_names;                // likewise
  std::size_t skipped_images = 0;                     // that could not be read
  std::vector<Decision> decisions;
  std::vector<Composition> memory;    // after each task
  std::vector<std::string> warnings;  // for people; see warnings.h
  std::size_t steps = 0;
  Seconds seconds;
  std::size_t peak_memory_bytes = 0;
};

nlohmann::json to_json(const RunResult& result);

// The way back, to the bit. Throws DataError for what is no result, or one of another schema.
RunResult result_from_json(const nlohmann::json& json);

// Eight hexadecimal digits: FNV-1a (32 bits), over the spec's canonical JSON for a spec.
std::string text_hash(const std::string& text);
std::string spec_hash(const Spec& spec);

// "p-mnist-er-gps-seed3-1a2b3c4d.json": readable, and different for different specs.
std::string file_name(const Spec& spec, std::uint64_t seed);

// What save() wrote. Throws DataError if it cannot be read, or is that of another run.
RunResult read_result(const std::filesystem::path& path, const Spec& spec, std::uint64_t seed);

// Writes the JSON into the folder, which is made if need be. The file appears whole or not at all,
// and is on the disk when this returns.
std::filesystem::path save(const RunResult& result, const std::filesystem::path& folder);

}  // namespace gps
