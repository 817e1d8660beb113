// The binary version of CIFAR-10 and CIFAR-100 (https://www.cs.toronto.edu/~kriz/cifar.html):
// records of one label byte (CIFAR-100: a coarse one and a fine one) and 3 x 32 x 32 bytes of
// pixels, channel by channel. Files may hold any number of records.
#pragma once

#include <filesystem>

#include "gps/data/sets/locate.h"

namespace gps {

// Reads cifar-10-batches-bin: data_batch_1.bin to data_batch_5.bin and test_batch.bin. Throws
// DataError with the file, what was found and what was expected, if a file is missing, does not
// consist of whole records, or has a label that does not exist.
TrainTest read_cifar_10(const std::filesystem::path& folder);

// Reads cifar-100-binary: train.bin and test.bin, with their fine labels. Throws likewise.
TrainTest read_cifar_100(const std::filesystem::path& folder);

}  // namespace gps
