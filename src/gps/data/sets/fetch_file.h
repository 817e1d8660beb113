// Fetches one file of a published data set from the first source that delivers it complete and
// correct.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "gps/data/loading.h"
#include "gps/data/sets/download.h"
#include "gps/data/sets/published_sets.h"

namespace gps {

// Returns 0 if the file does not exist.
std::uint64_t size_of(const std::filesystem::path& file);

// Puts the file under its name into the folder, unless it is already there and correct. If `mirror`
// is given, it is the only source. A source that broke off is asked again for the rest, as long as
// more bytes arrive. The bytes so far are kept as <name>.part. Throws DataError with the reason for
// each source that failed.
void fetch_file(const PublishedSet& set, const PublishedFile& file,
                const std::filesystem::path& folder, const std::string& mirror,
                const DownloadOptions& options, const LoadHooks& hooks);

}  // namespace gps
