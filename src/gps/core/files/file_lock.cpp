#include "gps/core/files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

namespace gps {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, int reason) {
  throw std::filesystem::filesystem_error("a lock", path,
                                          std::error_code(reason, std::generic_category()));
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, const std::function<void()>& busy) {
  if (path.has_parent_path()) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) refuse(path.parent_path(), error.value());
  }
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) refuse(path, errno);
  while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    try {
      if (reason != EWOULDBLOCK && reason != EINTR) refuse(path, reason);
      busy();
    } catch (...) {
      close(descriptor_);
      throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

FileLock::~FileLock() { close(descriptor_); }

}  // namespace gps
