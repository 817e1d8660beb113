// The IDX format of MNIST and Fashion-MNIST (http://yann.lecun.com/exdb/mnist), plain or gzipped: a
// magic number (00 00 08 and the number of dimensions), the big-endian dimensions, then bytes.
#pragma once

#include <filesystem>
#include <string>

#include "gps/data/dataset.h"

namespace gps {

// Reads the images from one file and the labels from another. Throws DataError with the path, what
// was found and what was expected, if a file is missing, truncated, too long, corrupt, of the wrong
// kind, or does not match the other.
Dataset read_idx(const std::filesystem::path& images, const std::filesystem::path& labels,
                 int classes);

// Returns the path of the plain or the gzipped file in the folder; empty if there is neither.
std::filesystem::path find_idx_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace gps
