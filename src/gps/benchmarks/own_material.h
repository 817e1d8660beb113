// The user's own images, before and after decoding.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gps/benchmarks/own_benchmark.h"
#include "gps/data/images/decode_image.h"
#include "gps/data/images/image_listing.h"
#include "gps/data/loading.h"

namespace gps {

// Image files, or images from IDX files, which have no files of their own.
struct Material {
  std::vector<ImageFile> files;
  std::vector<std::optional<ImageHeader>> headers;  // none: not readable
  std::vector<Pixels> pixels;                       // from IDX files; otherwise empty
  std::vector<std::uint64_t> hashes;                // of the contents; 0: not readable
  std::string fingerprint;
};

// Reads every file once. Files that cannot be read are left to decoded(), which reports the reason.
// Throws UsageError if `path` does not exist, and DataError if the data does not make a stream.
Material read_material(const std::filesystem::path& path, const LoadHooks& hooks);

// Returns the images in the shape of options.own. They come from the user's cache, and are first
// decoded into it if they are not there. If there is no cache or an image cannot be decoded, they
// are decoded in memory instead. Throws DataError that lists the images that cannot be decoded,
// unless they are to be skipped. REQUIRES: options.own.
OwnData decoded(const BenchmarkOptions& options, const Material& material, Outline outline,
                const LoadHooks& hooks);

}  // namespace gps
