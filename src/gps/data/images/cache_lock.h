// Locks for files in the user's cache, so that only one process builds a file at a time.
#pragma once

#include <filesystem>
#include <string>

#include "gps/core/files/file_lock.h"
#include "gps/data/loading.h"

namespace gps {

// Takes the lock, and waits while another process holds it. While waiting, reports to `hooks` that
// another process is `what` ("unpacking a.zip"). Throws DataError if the lock file cannot be
// created, and Interrupted.
FileLock lock_cache(const std::filesystem::path& file, const std::string& what,
                    const LoadHooks& hooks);

}  // namespace gps
