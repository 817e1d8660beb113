// Decoded images in one file of the user's cache, mapped into memory: decoding is done once, and
// every process that uses the set shares the same pages.
//
// The file: a header (magic, version, shape, number of images, the key of what they were made from,
// a checksum of the rest and one of itself), the labels as 16-bit numbers, and, from the next
// multiple of 4096 on, the images as bytes, channel by channel, row by row. Numbers are in the
// machine's own order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "gps/data/dataset.h"
#include "gps/data/loading.h"

namespace gps {

struct ImageCacheContent {
  std::string what;       // for progress: "tiny-imagenet-200"
  std::uint64_t key = 0;  // of the files that the images are decoded from
  ImageShape shape;
  std::span<const Label> labels;
  // Writes image i. Called from several threads at a time.
  std::function<void(std::size_t i, std::span<std::uint8_t> out)> decode;
};

// The images at `path`, in the order of the labels. A file that is not there, or whose magic,
// version, key, shape, labels, size or checksum is not as it should be, is built anew. Safe when
// several processes ask at once: one builds, the others wait and take what it built. A file appears
// complete or not at all, and replacing it does not disturb those that have it mapped. Throws what
// `decode` throws, DataError if the file cannot be written, Interrupted; and then leaves nothing.
ImageStore cached_images(const std::filesystem::path& path, const ImageCacheContent& content,
                         const LoadHooks& hooks);

}  // namespace gps
