// The network of a state for PyTorch: TorchScript or safetensors, and beside it what its outputs
// mean.
#pragma once

#include <filesystem>
#include <string>

#include "gps/deployment/learn_state.h"

namespace gps {

enum class ExportFormat { torchscript, safetensors };

// Throws UsageError listing the known ones.
ExportFormat export_format_from(const std::string& name);

// Writes the file, and FILE.json with the names of the classes by output, the shape of the images
// and how their values are normalised (by a TorchScript file itself, by whoever uses the weights of
// a safetensors file); the latter has the same in its metadata. Each appears whole or not at all.
void export_state(const LearnState& state, ExportFormat format, const std::filesystem::path& file);

}  // namespace gps
