// What lies at the path of a stream of one's own images, before and after decoding.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gps/benchmarks/own_benchmark.h"
#include "gps/data/images/decode_image.h"
#include "gps/data/images/image_listing.h"
#include "gps/data/loading.h"

namespace gps {

// Files, or images that came out of IDX files and have no file each.
struct Material {
  std::vector<ImageFile> files;
  std::vector<std::optional<ImageHeader>> headers;  // none: not to be read
  std::vector<Pixels> pixels;                       // of IDX files; else empty
  std::string fingerprint;
};

// Reads every file once. What cannot be read is left to decoded(), which says why. Throws
// UsageError for a path where there is nothing, DataError for what makes no stream.
Material read_material(const std::filesystem::path& path, const LoadHooks& hooks);

// Its images in the shape of options.own. They come from the user's cache and are decoded into it
// first if they are not there. They are decoded in memory instead if there is no cache or an image
// cannot be decoded. Throws DataError that lists images that cannot be decoded, unless they are to
// be skipped. REQUIRES: options.own.
OwnData decoded(const BenchmarkOptions& options, const Material& material, Outline outline,
                const LoadHooks& hooks);

}  // namespace gps
