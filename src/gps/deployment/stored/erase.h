// Takes images out of a state for good: out of every kept version and the candidate, so that
// neither --rollback nor --accept brings them back. The weights keep what they learnt from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gps/deployment/change_state.h"
#include "gps/deployment/state_folder.h"
#include "gps/deployment/stored/image_hash.h"

namespace gps {

struct Erasure {
  RemovedImages images = {};        // of the newest version
  std::size_t erased = 0;           // of the hashes that were asked for, those found anywhere
  std::vector<int> rewritten = {};  // versions; the newest one keeps its number
  bool is_candidate_rewritten = false;
  std::vector<std::string> untouched = {};  // files that may still have the images, and why
};

// Removes the images with these hashes, and leaves tombstones: none of them can be learnt again.
// Each file is rewritten whole, the candidate first. If this is interrupted, every file is intact,
// and a second call does what is left. Throws UsageError, with nothing changed, if the learner
// answers by stored images and a class would be left without.
// REQUIRES: the lock of the folder.
Erasure erase_for_good(const StateFolder& folder, const ImageHashes& hashes);

// Removes the images that came more than options.keep_days of the newest version before `now`
// (seconds since 1970), without tombstones. Does nothing if that option is 0.
// REQUIRES: the lock of the folder.
Erasure expire_for_good(const StateFolder& folder, std::int64_t now);

}  // namespace gps
