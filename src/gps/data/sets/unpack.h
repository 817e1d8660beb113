// Official archives (.tar.gz, .tar, .zip), unpacked once into the user's cache.
#pragma once

#include <cstdint>
#include <filesystem>

#include "gps/data/loading.h"

namespace gps {

// The most that an archive may hold; larger ones are not data sets that we know.
struct UnpackLimits {
  std::uint64_t entries = 1'000'000;
  std::uint64_t bytes = std::uint64_t{8} << 30;
};

// Unpacks all of the archive into `folder`, which must be empty. Writes nothing outside of it:
// absolute paths, paths with "..", links, devices and repeated names are refused. Truncated or
// damaged archives are refused as well. Throws DataError with the archive, what was found and what
// was expected, and Interrupted, also in the middle of an entry; then the files unpacked so far
// stay.
void unpack(const std::filesystem::path& archive, const std::filesystem::path& folder,
            const LoadHooks& hooks, const UnpackLimits& limits = {});

// Returns the folder below `cache` with the unpacked archive. Unpacks the archive first, unless
// that was done before and its size and modification time are still the same. Safe when several
// processes ask at once: one unpacks, the others wait. A folder appears complete or not at all; the
// next call removes the remains of a killed process. Throws the exceptions of unpack(), and then
// leaves nothing.
std::filesystem::path unpacked(const std::filesystem::path& archive,
                               const std::filesystem::path& cache, const LoadHooks& hooks);

}  // namespace gps
