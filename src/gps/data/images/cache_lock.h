// One builder at a time: what goes to the user's cache is made under a lock.
#pragma once

#include <filesystem>
#include <string>

#include "gps/core/files/file_lock.h"
#include "gps/data/loading.h"

namespace gps {

// Waits until nobody else has the lock, telling `hooks` if that takes time that somebody is `what`
// ("unpacking a.zip"). Throws DataError if the file cannot be made, Interrupted.
FileLock lock_cache(const std::filesystem::path& file, const std::string& what,
                    const LoadHooks& hooks);

}  // namespace gps
