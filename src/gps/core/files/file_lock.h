// A lock that only one process holds at a time. The system releases it when the holder ends, even
// by a crash.
#pragma once

#include <filesystem>
#include <functional>

namespace gps {

class FileLock {
 public:
  // Creates the file and its folder if necessary. While another holder has the lock, calls `busy`
  // twenty times a second; an exception from `busy` ends the waiting. The file is never removed:
  // removing it would let two processes hold the lock. Throws std::filesystem::filesystem_error,
  // which names the path that could not be created or locked.
  FileLock(const std::filesystem::path& path, const std::function<void()>& busy);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace gps
