// What a run has learnt and what it remembers, as files for PyTorch (docs/result-format.md).
#pragma once

#include <filesystem>

#include "gps/experiments/result.h"

namespace gps {

struct ExportOptions {
  bool model = false;   // NAME.model.pt (TorchScript) and NAME.model.safetensors
  bool memory = false;  // NAME.memory.safetensors

  bool any() const { return model || memory; }
};

// Beside the run's JSON file, whose name without ".json" is NAME. Throws DataError.
void export_run(const RunResult& result, const Learner& learner, const Memory& memory,
                const ImageShape& shape, const ExportOptions& options,
                const std::filesystem::path& folder);

}  // namespace gps
