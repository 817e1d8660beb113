// Stores decoded images in one file of the user's cache and maps it into memory. The images are
// decoded only once, and all processes that use the set share the same pages.
//
// The file holds a header (magic, version, shape, number of images, the key of the source files, a
// checksum of the rest and one of the header itself), the labels as 16-bit numbers, and, from the
// next multiple of 4096, the images as bytes, channel by channel, row by row. Numbers are in the
// machine's byte order.
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
  std::uint64_t key = 0;  // identifies the files that the images are decoded from
  ImageShape shape;
  std::span<const Label> labels;
  // Writes image i to `out`. Called from several threads at a time.
  std::function<void(std::size_t i, std::span<std::uint8_t> out)> decode;
  std::string work = "decoding";  // for progress, before `what`
};

// Returns the images at `path`, in the order of the labels. Rebuilds the file if it is missing, or
// if its magic, version, key, shape, labels, size or checksum is wrong. Safe when several processes
// ask at once: one builds, the others wait and use its file. A file appears complete or not at all,
// and replacing it does not disturb processes that have it mapped. Throws the exceptions of
// `decode`, DataError if the file cannot be written, and Interrupted; then leaves no partial file.
ImageStore cached_images(const std::filesystem::path& path, const ImageCacheContent& content,
                         const LoadHooks& hooks);

}  // namespace gps
