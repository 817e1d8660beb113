// What `gpscl run` and `gpscl sweep` do before and after the work in the same way.
#pragma once

#include <filesystem>
#include <string>

#include "gps/core/executor.h"
#include "gps/experiments/result.h"

namespace gps::cli {

// Makes the folder, or says why not, before hours of work want to be kept in it. Throws UsageError.
void prepare_folder(const std::filesystem::path& folder);

// As many workers as --jobs says; 0: one a core.
int workers_for(int jobs);

// "accuracy 85.12 %"
std::string accuracy_of(const RunResult& result);

}  // namespace gps::cli
