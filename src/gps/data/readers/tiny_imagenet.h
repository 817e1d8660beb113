// TinyImageNet in its official tree (http://cs231n.stanford.edu/tiny-imagenet-200.zip): JPEG images
// of 64 x 64 pixels.
//   wnids.txt                          the classes, one per line, in the order of the labels
//   train/<wnid>/images/*.JPEG         training examples
//   val/val_annotations.txt            one line per image: its name, its class and a box
//   val/images/*.JPEG                  validation examples, which are used as test examples
// Images of one channel are repeated in all three. (Mammoth orders the classes differently.)
#pragma once

#include <filesystem>

#include "gps/data/loading.h"
#include "gps/data/sets/locate.h"

namespace gps {

// Decodes all images once, in parallel, into a file below `cache` (see data/images/image_cache.h).
// Later calls map that file. The file is rebuilt when the tree changes: its key is a hash of
// wnids.txt, of val_annotations.txt, and of the name, size and modification time of every image.
// Throws DataError with the file, what was found and what was expected.
TrainTest read_tiny_imagenet(const std::filesystem::path& tree, int classes,
                             const std::filesystem::path& cache, const LoadHooks& hooks);

// Checks the tree as reading it would, without opening an image. Throws likewise.
void check_tiny_imagenet(const std::filesystem::path& tree, int classes);

// Returns the file below `cache` into which the images of this tree are decoded.
std::filesystem::path decoded_tiny_imagenet(const std::filesystem::path& tree,
                                            const std::filesystem::path& cache);

}  // namespace gps
