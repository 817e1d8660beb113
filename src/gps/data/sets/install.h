// Installs public data sets into the user's cache, where benchmarks look for them.
//
// Below the cache, <set.folder>/ is an installed set. Beside its files lies a list of their sums
// (.gpscl-sha256, which `sha256sum -c` reads). The set appears complete or not at all: everything
// is fetched to downloads/<set.name>/, checked, unpacked there, opened by its reader, and renamed.
// Files that a killed process left below downloads/ are never trusted: complete files are checked
// again, an unpacked folder is rebuilt, and an incomplete file is only used to continue its
// download.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "gps/data/loading.h"
#include "gps/data/sets/download.h"
#include "gps/data/sets/published_sets.h"

namespace gps {

struct InstallOptions {
  std::string mirror;  // if given, the only source, with the files at <mirror>/<set.name>/<file>
  bool anew = false;   // install even if the set is there
  DownloadOptions download;
};

// Throws UsageError unless the mirror is the address of an HTTP(S) server.
void validate(const InstallOptions& options);

// Returns whether install() has installed the set in the cache.
bool is_installed(const PublishedSet& set, const std::filesystem::path& cache);

// Installs the set unless it is already installed. Returns whether it was installed now; if not,
// the remains of earlier downloads are removed. With `anew`, the new set replaces the old one in
// one step. Several processes may call this at once: one installs, the others wait. Throws
// DataError if no source has a file (naming each source and the reason), if an archive is unsafe or
// does not contain the set, if something other than an installed set is in its place, or if the
// cache cannot be written. Throws Interrupted.
bool install(const PublishedSet& set, const std::filesystem::path& cache,
             const InstallOptions& options, const LoadHooks& hooks);

// Compares every installed file with its sum and lets the reader open the set. Throws DataError
// that names the first error, or says that the set is not installed.
void verify_installed(const PublishedSet& set, const std::filesystem::path& cache,
                      const LoadHooks& hooks);

// Checks a set at `found`, where find_set() has found it: a folder that install() made by its list
// of sums, an archive and the files of a set like MNIST by their published sums, any other folder
// only by its reader. Returns what is certain: "all checksums are correct", or that the set can be
// read. Throws DataError that names the first error.
std::string verify_found(const PublishedSet& set, const std::filesystem::path& found,
                         const LoadHooks& hooks);

// Removes the installed set, the images decoded from it, and the remains of its downloads. Returns
// the number of bytes removed: 0 if there was nothing. Throws DataError if something that install()
// did not put there is in the set's place.
std::uint64_t remove_installed(const PublishedSet& set, const std::filesystem::path& cache,
                               const LoadHooks& hooks);

}  // namespace gps
