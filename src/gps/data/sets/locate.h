// Finding the data sets that are already on this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gps/data/dataset.h"
#include "gps/data/loading.h"
#include "gps/data/sets/published_sets.h"

namespace gps {

// Training and test examples of one set, as its authors split it.
struct TrainTest {
  Dataset train;
  Dataset test;
};

// Where downloaded sets, unpacked archives and decoded images are kept: $XDG_CACHE_HOME/gpscl or
// ~/.cache/gpscl. Empty if neither variable is set.
std::filesystem::path user_cache();

// The folders looked in, in this order: `data` (the user's --data; may be empty), $GPSCL_DATA, the
// user's cache, and where Debian's packages put data sets. Each holds one sub-folder a set: mnist/,
// fashion-mnist/, cifar-10-batches-bin/, cifar-100-binary/, tiny-imagenet-200/; or the official
// archive of one of the last three.
std::vector<std::filesystem::path> data_folders(const std::filesystem::path& data);

// Reads "mnist" or "fashion-mnist" from the first folder that has it, each file plain or gzipped
// (.gz). Throws UsageError if `data` is given and is no folder; DataError, naming every place
// looked in and the command that gets the set, if no folder has it, and naming the file if one has
// only a part of it.
TrainTest load_mnist_like(const std::string& set, const std::filesystem::path& data);

// The same of one folder that holds the files of such a set.
TrainTest read_mnist_like(const std::filesystem::path& folder);

// The set's folder in the first place that has it: unpacked, as it lies; otherwise its archive,
// which is unpacked into the user's cache at first use (see data/sets/unpack.h). Throws UsageError
// if `data` is given and is no folder; DataError, naming every place looked in and the command that
// gets the set, if none has it, and what unpacked() throws. REQUIRES: set.is_archive().
std::filesystem::path locate(const PublishedSet& set, const std::filesystem::path& data,
                             const LoadHooks& hooks);

// Where a set lies, without opening it.
struct FoundSet {
  std::filesystem::path path;  // its folder, or its archive
  std::string place;  // which of the places: "`data`", "$GPSCL_DATA", "the user's cache", …
};

// None if no place has it. Throws UsageError if `data` is given and is no folder.
std::optional<FoundSet> find_set(const PublishedSet& set, const std::filesystem::path& data);

// Throws the DataError of a set that no place has.
[[noreturn]] void refuse_missing(const PublishedSet& set, const std::filesystem::path& data);

}  // namespace gps
