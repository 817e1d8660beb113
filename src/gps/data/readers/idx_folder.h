// A user's own folder of IDX files with the names of MNIST: train-images-idx3-ubyte and
// train-labels-idx1-ubyte, and optionally t10k-… or test-… for testing. Each may be plain or
// gzipped (.gz).
#pragma once

#include <filesystem>
#include <optional>

#include "gps/data/dataset.h"

namespace gps {

struct IdxFolder {
  Dataset train;  // labels as in the files, below 256
  std::optional<Dataset> test;
};

// Returns whether the folder holds training images in an IDX file.
bool is_idx_folder(const std::filesystem::path& folder);

// Throws the exceptions of read_idx(), and DataError if a file of a pair is missing or the test
// images have another size.
IdxFolder read_idx_folder(const std::filesystem::path& folder);

}  // namespace gps
