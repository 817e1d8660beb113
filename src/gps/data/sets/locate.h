// Finds the data sets that are already on this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gps/data/dataset.h"
#include "gps/data/loading.h"
#include "gps/data/sets/published_sets.h"

namespace gps {

// Training and test examples of one set, as split by its authors.
struct TrainTest {
  Dataset train;
  Dataset test;
};

// Returns the folder for downloaded sets, unpacked archives and decoded images:
// $XDG_CACHE_HOME/gpscl or ~/.cache/gpscl. Empty if neither variable is set.
std::filesystem::path user_cache();

// Returns the folders that are searched, in this order: `data` (the user's --data; may be empty),
// $GPSCL_DATA, the user's cache, and the folder of Debian's data packages. Each may hold one
// sub-folder per set (mnist/, fashion-mnist/, cifar-10-batches-bin/, cifar-100-binary/,
// tiny-imagenet-200/), or the official archive of one of the last three.
std::vector<std::filesystem::path> data_folders(const std::filesystem::path& data);

// Reads "mnist" or "fashion-mnist" from the first folder that has it, each file plain or gzipped
// (.gz). Throws UsageError if `data` is given and is not a folder. Throws DataError if no folder
// has the set, naming every folder searched and the command that gets the set; or if a folder has
// only a part of it, naming the file.
TrainTest load_mnist_like(const std::string& set, const std::filesystem::path& data);

// The same for a folder that holds the files of such a set.
TrainTest read_mnist_like(const std::filesystem::path& folder);

// Returns the set's folder in the first place that has it. If that place has only the archive,
// unpacks it into the user's cache at first use (see data/sets/unpack.h). Throws UsageError if
// `data` is given and is not a folder. Throws DataError if no place has the set, naming every place
// searched and the command that gets the set. Throws the exceptions of unpacked(). REQUIRES:
// set.is_archive().
std::filesystem::path locate(const PublishedSet& set, const std::filesystem::path& data,
                             const LoadHooks& hooks);

// The place of a set, found without opening the set.
struct FoundSet {
  std::filesystem::path path;  // its folder, or its archive
  std::string place;  // name of the place: "`data`", "$GPSCL_DATA", "the user's cache", …
};

// Returns none if no place has the set. Throws UsageError if `data` is given and is not a folder.
std::optional<FoundSet> find_set(const PublishedSet& set, const std::filesystem::path& data);

// Throws the DataError for a set that no place has.
[[noreturn]] void refuse_missing(const PublishedSet& set, const std::filesystem::path& data);

}  // namespace gps
