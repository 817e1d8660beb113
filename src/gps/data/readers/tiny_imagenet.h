// TinyImageNet in its official tree (http://cs231n.stanford.edu/tiny-imagenet-200.zip): JPEG images
// of 64 x 64 pixels.
//   wnids.txt                          the classes, one a line; their order is that of the labels
//   train/<wnid>/images/*.JPEG         training examples
//   val/val_annotations.txt            one line an image: its name, its class, and a box
//   val/images/*.JPEG                  the validation examples, which are used as test examples
// Images of one channel are repeated in all three. (Mammoth's classes come in another order.)
#pragma once

#include <filesystem>

#include "gps/data/loading.h"
#include "gps/data/sets/locate.h"

namespace gps {

// Decodes all images once, in parallel, into a file below `cache` (see data/images/image_cache.h),
// and from then on maps that file. It is made anew when the tree changes: its key is a hash of
// wnids.txt, of val_annotations.txt, and of the name, the size and the time of change of every
// image. Throws DataError with the file, what was found and what was expected.
TrainTest read_tiny_imagenet(const std::filesystem::path& tree, int classes,
                             const std::filesystem::path& cache, const LoadHooks& hooks);

// Looks through the tree as reading it would, without opening an image. Throws likewise.
void check_tiny_imagenet(const std::filesystem::path& tree, int classes);

// The file below `cache` that the images of this tree are decoded into.
std::filesystem::path decoded_tiny_imagenet(const std::filesystem::path& tree,
                                            const std::filesystem::path& cache);

}  // namespace gps
