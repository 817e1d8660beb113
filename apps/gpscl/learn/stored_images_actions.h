// Calls of `gpscl learn` that show what a state stores: --list and --images.
#pragma once

#include "gps/deployment/state_folder.h"
#include "learn/learn_options.h"

namespace gps::cli {

// Both return the exit code.
int list_stored_images(const LearnRequest& request, const StateFolder& folder);

// Writes them as PNG files: DIR/train/CLASS/HASH.png what is replayed, DIR/test/CLASS/HASH.png what
// is held out, and DIR/images.csv, a manifest with the exact names of the classes. Throws
// UsageError if DIR is not empty or the state stores features.
int write_stored_images(const LearnRequest& request, const StateFolder& folder);

}  // namespace gps::cli
