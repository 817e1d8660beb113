// Finding the data sets that are already on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gps/data/dataset.h"

namespace gps {

// Training and test examples of one set, as its authors split it.
struct TrainTest {
  Dataset train;
  Dataset test;
};

// The folders looked in, in this order: `data` (the user's --data; may be empty), $GPSCL_DATA, the
// user's cache
// ($XDG_CACHE_HOME/gpscl or ~/.cache/gpscl), and where Debian's packages put data sets. Each holds
// one sub-folder a set: mnist/, fashion-mnist/.
std::vector<std::filesystem::path> data_folders(const std::filesystem::path& data);

// Reads "mnist" or "fashion-mnist" from the first folder that has it, each file plain or gzipped
// (.gz). Throws UsageError if `data` is given and is no folder; DataError, naming every place
// looked in, if no folder has the set, and naming the file if one has only a part of it.
TrainTest load_mnist_like(const std::string& set, const std::filesystem::path& data);

}  // namespace gps
