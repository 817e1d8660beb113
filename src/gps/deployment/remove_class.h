// Removes a class from a state for good: from its newest version and from all others that are kept,
// so that --rollback does not bring its images back.
#pragma once

#include <string>
#include <vector>

#include "gps/deployment/change_state.h"
#include "gps/deployment/state_folder.h"

namespace gps {

struct ClassRemoval {
  int version = 0;                  // the newest, without the class
  bool is_new = false;              // whether this call made it; otherwise it had no such class
  RemovedImages images = {};        // of the version that was the newest
  std::vector<int> rewritten = {};  // earlier versions, now without the class
  std::vector<int> removed = {};    // earlier versions that had no other class
  std::vector<std::string> untouched = {};  // files that may still have its images, and why
};

// First keeps a new version without the class, then rewrites the earlier ones, each whole. If this
// is interrupted, every version is intact, and a second call does what is left. Throws what
// remove_class() of change_state.h throws, if no version has the class; then nothing has changed.
// REQUIRES: the lock of the folder.
ClassRemoval remove_class_for_good(StateFolder& folder, const std::string& name,
                                   const BeforeKept& before = {});

}  // namespace gps
