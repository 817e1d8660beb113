// Where a LearnState lives (docs/learn.md has the format): one file for each version; the newest
// intact one counts. A version is written under another name, synced, and renamed. A process that
// is killed at any moment leaves either the old versions, or the old versions and the new one.
//
//   STATE/lock              held by whoever changes the state
//   STATE/000007.state      version 7
//   STATE/model.pt          the user's own model, where there is one
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
  std::vector<std::string> not_removed = {};  // older versions that should have gone, and why
};

class StateFolder {
 public:
  explicit StateFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path file(int version) const;

  // Those there are, ascending, whole or not. Throws DataError if the folder cannot be read.
  std::vector<int> versions() const;
  bool has_state() const { return !versions().empty(); }
  // Throws UsageError if there is no state.
  int newest() const;

  // May a state be made here? Throws UsageError if the folder holds something else.
  void check_is_free() const;

  // The newest version. Throws UsageError if there is none, DataError if it is damaged, and says
  // whether --rollback would help.
  LearnState load() const;

  // Of all files in it.
  std::uintmax_t bytes() const;

  // Writes the state as the next version, syncs it, and removes what is older than options.keep
  // versions. Throws DataError; then all is as it was. A model of the user's own is copied here
  // first. A state of one task is a first version or none.
  // REQUIRES: the lock.
  Committed commit(LearnState& state);

  // Removes the newest version, whole or not, and returns the one before it. Throws UsageError if
  // there is none, and DataError if that one is damaged.
  // REQUIRES: the lock.
  int rollback();

  // Removes what killed calls left behind.
  // REQUIRES: the lock.
  void clean() const;

 private:
  LearnState read(int version) const;
  void copy_model(const NetworkOptions& network) const;

  std::filesystem::path folder_;
};

// One at a time may change a state. The system gives the lock back when its holder ends, however it
// ends.
// Makes the folder if need be, and waits until nobody else has the lock; `wait` is called once
// before that, and an empty one throws DataError instead. Throws Interrupted.
FileLock lock_state(const std::filesystem::path& folder, const std::function<void()>& wait,
                    const StopFlag& stop);

}  // namespace gps
