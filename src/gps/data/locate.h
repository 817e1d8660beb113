// Finding the data sets that are already on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gps/data/dataset.h"
#include "gps/data/loading.h"

namespace gps {

// Training and test examples of one set, as its authors split it.
struct TrainTest {
  Dataset train;
  Dataset test;
};

// Where unpacked archives and decoded images are kept: $XDG_CACHE_HOME/gpscl or ~/.cache/gpscl.
// Empty if neither variable is set.
std::filesystem::path user_cache();

// The folders looked in, in this order: `data` (the user's --data; may be empty), $GPSCL_DATA, the
// user's cache, and where Debian's packages put data sets. Each holds one sub-folder a set: mnist/,
// fashion-mnist/, cifar-10-batches-bin/, cifar-100-binary/, tiny-imagenet-200/; or the official
// archive of one of the last three.
std::vector<std::filesystem::path> data_folders(const std::filesystem::path& data);

// Reads "mnist" or "fashion-mnist" from the first folder that has it, each file plain or gzipped
// (.gz). Throws UsageError if `data` is given and is no folder; DataError, naming every place
// looked in, if no folder has the set, and naming the file if one has only a part of it.
TrainTest load_mnist_like(const std::string& set, const std::filesystem::path& data);

// A set as its authors publish it: an archive with one folder in it.
struct PublishedSet {
  std::string name;     // "CIFAR-10"
  std::string folder;   // "cifar-10-batches-bin"
  std::string archive;  // "cifar-10-binary.tar.gz"
};

// The set's folder in the first place that has it: unpacked, as it lies; otherwise its archive,
// which is unpacked into the user's cache at first use (see data/unpack.h). Throws UsageError if
// `data` is given and is no folder; DataError, naming every place looked in, if none has the set,
// and what unpacked() throws.
std::filesystem::path locate(const PublishedSet& set, const std::filesystem::path& data,
                             const LoadHooks& hooks);

}  // namespace gps
