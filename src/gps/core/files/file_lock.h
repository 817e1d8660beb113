// One process at a time: a lock that the system gives back when its holder ends, however it ends.
#pragma once

#include <filesystem>
#include <functional>

namespace gps {

class FileLock {
 public:
  // Makes the file and its folder if need be. While somebody else has the lock, `busy` is called
  // twenty times a second; what it throws ends the waiting. The file stays: removing it would let
  // two in. Throws std::filesystem::filesystem_error, naming what could not be made or locked.
  FileLock(const std::filesystem::path& path, const std::function<void()>& busy);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace gps
