// Official archives (.tar.gz, .tar, .zip), unpacked once into the user's cache.
#pragma once

#include <cstdint>
#include <filesystem>

#include "gps/data/loading.h"

namespace gps {

// What an archive may hold: anything larger is no data set of ours.
struct UnpackLimits {
  std::uint64_t entries = 1'000'000;
  std::uint64_t bytes = std::uint64_t{8} << 30;
};

// Unpacks all of the archive into `folder`, which must be empty. Nothing is written outside of it:
// an absolute path or one with "..", a link, a device, a name that comes twice is refused. So is an
// archive that is truncated or damaged. Throws DataError naming the archive, what was found and
// what was expected; what was unpacked until then stays.
void unpack(const std::filesystem::path& archive, const std::filesystem::path& folder,
            const LoadHooks& hooks, const UnpackLimits& limits = {});

// The folder below `cache` with the unpacked archive. Unpacks it first, unless that was done
// already and the archive's size and time of change are still the same. Safe when several processes
// ask at once: one unpacks, the others wait. A folder appears complete or not at all; what a killed
// process has left is removed by the next. Throws what unpack() throws, and then leaves nothing.
std::filesystem::path unpacked(const std::filesystem::path& archive,
                               const std::filesystem::path& cache, const LoadHooks& hooks);

}  // namespace gps
