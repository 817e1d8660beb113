// A user's own folder of IDX files, named as MNIST's are: train-images-idx3-ubyte and
// train-labels-idx1-ubyte, and, where there are any, t10k-… or test-… for testing; each plain or
// gzipped (.gz).
#pragma once

#include <filesystem>
#include <optional>

#include "gps/data/dataset.h"

namespace gps {

struct IdxFolder {
  Dataset train;  // labels are those of the files, below 256
  std::optional<Dataset> test;
};

// Does it hold training images in an IDX file?
bool is_idx_folder(const std::filesystem::path& folder);

// Throws what read_idx() throws, and DataError if a file of a pair is missing or test images have
// another size.
IdxFolder read_idx_folder(const std::filesystem::path& folder);

}  // namespace gps
