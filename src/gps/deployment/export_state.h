// Exports the network of a state for PyTorch, as TorchScript or safetensors, with a description of
// its outputs.
#pragma once

#include <filesystem>
#include <string>

#include "gps/deployment/learn_state.h"

namespace gps {

enum class ExportFormat { torchscript, safetensors };

// Throws UsageError, listing the known formats, for any other name.
ExportFormat export_format_from(const std::string& name);

// Writes the file, and FILE.json with the class name of each output, the shape of the images and
// their normalisation. A TorchScript module normalises images itself; a user of safetensors weights
// must do this. A safetensors file also has this description in its metadata. Each file is written
// completely or not at all.
void export_state(const LearnState& state, ExportFormat format, const std::filesystem::path& file);

}  // namespace gps
