#include "gps/data/images/cache_lock.h"

#include <fmt/format.h>

#include "gps/core/errors.h"

namespace gps {

FileLock lock_cache(const std::filesystem::path& file, const std::string& what,
                    const LoadHooks& hooks) {
  try {
    return FileLock(file, [&] {
      hooks.check_stop();
      hooks.report({fmt::format("waiting for another process that is {}", what), 0, 0});
    });
  } catch (const std::filesystem::filesystem_error& error) {
    throw DataError(
        fmt::format("{}: cannot be made: {}; $XDG_CACHE_HOME names another folder for such files",
                    error.path1().string(), error.code().message()));
  }
}

}  // namespace gps
