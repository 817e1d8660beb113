// One builder at a time: what goes to the user's cache is made under a lock that the system gives
// back when its holder ends, however it ends.
#pragma once

#include <filesystem>
#include <string>

#include "gps/data/loading.h"

namespace gps {

class FileLock {
 public:
  // Makes the file (and its folder) if need be and waits until nobody else has the lock, telling
  // `hooks` if that takes time. The file stays: removing it would let two in. Throws DataError if
  // it cannot be made, Interrupted.
  FileLock(const std::filesystem::path& path, const std::string& what, const LoadHooks& hooks);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace gps
