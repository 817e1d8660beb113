// The folder of a LearnState (docs/learn.md has the format): one file for each version. The newest
// version is the current one. A version is written under another name, synced, and renamed. A
// process that is killed at any moment leaves either the old versions, or the old versions and the
// new one.
//
//   STATE/lock              held by the process that changes the state
//   STATE/000007.state      version 7
//   STATE/candidate.state   a version that was not kept, if there is one (candidate.h)
//   STATE/log.jsonl         what happened to the state (stored/state_log.h)
//   STATE/model.pt          the user's own model, if there is one
//   STATE/backbone.pt       the user's backbone, if there is one
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gps/core/files/file_lock.h"
#include "gps/core/work/stop.h"
#include "gps/deployment/learn_state.h"

namespace gps {

struct Committed {
  int version = 0;
  std::vector<std::string> not_removed = {};  // older versions that could not be removed, and why
};

// Is told of a version that is about to become the newest, and the checksum of its file, before
// anything of the folder is changed. What it throws is thrown on, and nothing is changed.
using BeforeKept = std::function<void(int version, std::uint32_t checksum)>;

class StateFolder {
 public:
  explicit StateFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path file(int version) const;
  std::filesystem::path candidate_file() const;

  // Returns all versions, intact or damaged, ascending. Throws DataError if the folder cannot be
  // read.
  std::vector<int> versions() const;
  bool has_state() const { return !versions().empty(); }
  // Returns the newest version. Throws UsageError if there is no state; the message says whether a
  // candidate is kept aside.
  int newest() const;

  // Checks that a new state can be made here. Throws UsageError if the folder contains something
  // else, and DataError if it cannot be read.
  void check_is_free() const;

  // Reads the newest version. Throws UsageError if there is none, and DataError if it is damaged.
  // The message then says whether --rollback would help.
  LearnState load() const;

  // Reads one version. Throws DataError if it is damaged or not there.
  LearnState load(int version) const { return read(version); }

  // Returns the total size of the files in the folder.
  std::uintmax_t bytes() const;

  // Writes the state as the next version, syncs it, and removes all but options.keep earlier
  // versions, and the candidate. For a first version, copies the user's own model or backbone here
  // before that. Throws DataError if it fails, or if a state with one task would not be the first
  // version; the folder is then unchanged. REQUIRES: the lock.
  Committed commit(LearnState& state, const BeforeKept& before = {});

  // The same for a state that was changed and has learnt nothing: it is never the first version.
  // Throws UsageError if there is no state.
  // REQUIRES: the lock.
  Committed commit_change(LearnState& state, const BeforeKept& before = {});

  // Returns the bytes of the file of a version with this state.
  static std::string bytes_of(LearnState& state);

  // Writes a version again that there is. A process that is killed leaves the old bytes or the new
  // ones. Throws DataError if it fails.
  // REQUIRES: the lock.
  void rewrite(int version, LearnState& state) const;

  // Removes a version. Throws DataError if it fails.
  // REQUIRES: the lock.
  void remove(int version) const;

  // Removes the newest version, intact or damaged, and then the candidate. Returns the number of
  // the version before it. Throws UsageError if there is none, and DataError if that one is
  // damaged, or if the newest is intact but was written by a newer gpscl. REQUIRES: the lock.
  int rollback(const BeforeKept& announce = {});

  // Removes temporary files that killed processes left behind.
  // REQUIRES: the lock.
  void clean() const;

 private:
  LearnState read(int version) const;
  Committed write_next(LearnState& state, const std::vector<int>& all, const BeforeKept& before);
  void remove_candidate(std::vector<std::string>& not_removed) const;

  std::filesystem::path folder_;
};

// Locks a state, so that only one process at a time changes it. The system releases the lock when
// its holder ends, for whatever reason. Makes the folder if necessary. While another process has
// the lock, waits, after one call of `wait`; if `wait` is empty, throws DataError instead. Throws
// Interrupted on a stop request while it waits.
FileLock lock_state(const std::filesystem::path& folder, const std::function<void()>& wait,
                    const StopFlag& stop);

}  // namespace gps
