// Exports the network and the memory of a run as files for PyTorch (docs/result-format.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gps/experiments/result.h"

namespace gps {

struct ExportOptions {
  bool model = false;   // NAME.model.pt (TorchScript) and NAME.model.safetensors
  bool memory = false;  // NAME.memory.safetensors

  bool any() const { return model || memory; }
};

// Parses the option `export`: "model", "memory", "model,memory", or "" for nothing. Throws
// OptionError.
ExportOptions parse_export(const std::string& text);

// Writes the files beside the run's JSON file, whose name without ".json" is NAME. Throws
// DataError.
void export_run(const RunResult& result, const Learner& learner, const Memory& memory,
                const ImageShape& shape, const ExportOptions& options,
                const std::filesystem::path& folder);

// The examples of an exported memory, for display.
struct ExportedMemory {
  ImageShape shape;
  std::vector<std::uint8_t> images;  // n x channels x height x width
  std::vector<int> tasks;
  std::vector<int> labels;
  std::vector<bool> is_in_ring;
  bool is_put_back = false;  // permuted pixels are in their original places again
};

// Return the path of NAME.memory.safetensors, and its content. Reading throws DataError for a file
// that is missing or damaged.
std::filesystem::path exported_memory_file(const Spec& spec, std::uint64_t seed,
                                           const std::filesystem::path& folder);
ExportedMemory read_exported_memory(const Spec& spec, std::uint64_t seed,
                                    const std::filesystem::path& folder);

}  // namespace gps
