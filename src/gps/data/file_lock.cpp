#include "gps/data/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "gps/core/errors.h"

namespace gps {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, int reason) {
  throw DataError(
      fmt::format("{}: cannot be made: {}; $XDG_CACHE_HOME names another folder for such files",
                  path.string(), std::generic_category().message(reason)));
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, const std::string& what,
                   const LoadHooks& hooks) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) refuse(path.parent_path(), error.value());
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) refuse(path, errno);
  while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    try {
      if (reason != EWOULDBLOCK && reason != EINTR) refuse(path, reason);
      hooks.check_stop();
      hooks.report({fmt::format("waiting for another process that is {}", what), 0, 0});
    } catch (...) {
      close(descriptor_);
      throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

FileLock::~FileLock() { close(descriptor_); }

}  // namespace gps
