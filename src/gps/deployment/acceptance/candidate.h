// A version that was learnt and not kept, because it fell short (check_learnt.h, gate.h). It lies
// beside the versions until somebody accepts it, or until the state changes in any other way:
//
//   STATE/candidate.state
//
// It is one file, written like a version: old or new, whole. It says which version it was made
// from, with the checksum of that version's file, so that it is never taken for the successor of
// another one, not even after --rollback.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gps/deployment/state_folder.h"

namespace gps {

struct CandidateNote {
  int made_from = 0;                       // the version before it; 0: there was no state
  std::uint32_t made_from_checksum = 0;    // of the file of that version
  std::int64_t when = 0;                   // in seconds since 1970
  std::string task = {};                   // what was learnt
  std::vector<std::string> problems = {};  // why it was not kept, one clause each
  // Copies of the user's own model and backbone that were made for it: by name.
  std::vector<std::string> copied = {};

  void persist(Archive& archive);
};

// Keeps the state aside as the candidate to follow the newest version, and replaces the candidate
// that there was. Throws DataError if it cannot be written.
// REQUIRES: the lock of the folder.
CandidateNote keep_aside(const StateFolder& folder, LearnState& state, std::int64_t when,
                         const std::vector<std::string>& problems);

// Returns what is said of the candidate; nothing if there is none, or if it is of another version
// than the newest. Throws DataError if it is damaged.
std::optional<CandidateNote> candidate_of(const StateFolder& folder);

// Returns the candidate. Throws UsageError if there is none that could follow the newest version.
LearnState load_candidate(const StateFolder& folder);

// Returns the candidate that follows the number of the newest version, whatever bytes that has now.
// Nothing if there is none. Throws DataError if it is damaged.
std::optional<LearnState> candidate_to_rewrite(const StateFolder& folder);

// Writes the candidate again, changed, as made from a newest version whose file has (or will have)
// this checksum. REQUIRES: the lock of the folder; there is a candidate.
void rewrite_candidate(const StateFolder& folder, LearnState& state, std::uint32_t made_from);

// Removes the candidate, if there is one, and what was copied for it alone. Throws DataError if it
// cannot be removed. REQUIRES: the lock of the folder.
void drop_candidate(const StateFolder& folder);

}  // namespace gps
