// Public data sets: downloaded into the user's cache, where benchmarks look for them.
//
// Below the cache, <set.folder>/ is an installed set, beside whose files lies a list of their sums
// (.gpscl-sha256: `sha256sum -c` reads it). It appears complete or not at all: everything is
// fetched to downloads/<set.name>/, checked, unpacked there, opened by its reader, and renamed.
// What a killed process leaves below downloads/ is never trusted: files are checked again, an
// unpacked folder is made anew, and only the beginning of a file that did not arrive whole is used,
// for going on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "gps/data/loading.h"
#include "gps/data/sets/download.h"
#include "gps/data/sets/published_sets.h"

namespace gps {

struct InstallOptions {
  std::string mirror;  // if given, the only source: files are at <mirror>/<set.name>/<file>
  bool anew = false;   // even if the set is there
  DownloadOptions download;
};

// Throws UsageError unless the mirror is the address of an HTTP(S) server.
void validate(const InstallOptions& options);

// Whether the set was installed in the cache by install().
bool is_installed(const PublishedSet& set, const std::filesystem::path& cache);

// Installs the set unless it is installed already. Returns whether it was installed now; if not,
// the rest of earlier downloads is removed. With `anew`, the new set replaces the old one in one
// step. Several processes may do this at once: one does it, the others wait. Throws DataError if no
// source has a file (naming each source and the reason), if an archive is unsafe or not the set's,
// if something else than an installed set is in its place, or if the cache cannot be written.
// Throws Interrupted.
bool install(const PublishedSet& set, const std::filesystem::path& cache,
             const InstallOptions& options, const LoadHooks& hooks);

// Compares every installed file with its sum and has the reader open the set. Throws DataError that
// names the first thing that is wrong, or says that the set is not installed.
void verify_installed(const PublishedSet& set, const std::filesystem::path& cache,
                      const LoadHooks& hooks);

// Removes the installed set, what has been decoded from it, and what is left of downloads of it.
// Returns how many bytes that were: 0 if there was nothing. Throws DataError if something lies in
// the set's place that install() has not put there.
std::uint64_t remove_installed(const PublishedSet& set, const std::filesystem::path& cache,
                               const LoadHooks& hooks);

}  // namespace gps
