// The list of sums beside the files of an installed data set, which `sha256sum -c` also reads.
#pragma once

#include <filesystem>

#include "gps/data/loading.h"
#include "gps/data/sets/published_sets.h"

namespace gps {

inline constexpr const char* kSumsFile = ".gpscl-sha256";

// Writes the sums of all files below the folder. Throws DataError for anything but files and
// folders, such as links.
void write_sums(const PublishedSet& set, const std::filesystem::path& folder,
                const LoadHooks& hooks);

// Compares all files below the folder with the list. Throws DataError that names the first file
// that was changed, is missing, or is not in the list.
void check_sums(const PublishedSet& set, const std::filesystem::path& folder,
                const LoadHooks& hooks);

}  // namespace gps
