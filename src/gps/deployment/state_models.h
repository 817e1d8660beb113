// The user's own model and backbone of a state: their copies in its folder.
#pragma once

#include <filesystem>
#include <vector>

#include "gps/deployment/learn_options.h"

namespace gps {

// Copies the files that these options name into the folder of the state, unless they lie there
// already. Returns the copies that were made. Throws DataError if a file has changed since the
// options were made, or if another one lies in its place; then no copy is left.
std::vector<std::filesystem::path> copy_models(const LearnOptions& options,
                                               const std::filesystem::path& folder);

}  // namespace gps
