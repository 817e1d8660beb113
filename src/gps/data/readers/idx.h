// The IDX format of MNIST and Fashion-MNIST (http://yann.lecun.com/exdb/mnist), plain or gzipped: a
// magic number (00 00 08 and the number of dimensions), the big-endian dimensions, then bytes.
#pragma once

#include <filesystem>
#include <string>

#include "gps/data/dataset.h"

namespace gps {

// The images of one file and the labels of another. Throws DataError with the path, what was found
// and what was expected, for a file that is missing, truncated, too long, corrupt, of the wrong
// kind, or does not match the other.
Dataset read_idx(const std::filesystem::path& images, const std::filesystem::path& labels,
                 int classes);

// The file of the folder under its plain name or its gzipped one; empty if there is neither.
std::filesystem::path find_idx_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace gps
