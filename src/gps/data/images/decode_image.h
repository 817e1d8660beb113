// Image files of any size made into images of one shape: JPEG or PNG, told by what is in them and
// not by their names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gps/data/dataset.h"
#include "gps/data/images/image_listing.h"
#include "gps/data/images/pixels.h"
#include "gps/data/loading.h"

namespace gps {

// Decodes the bytes of a file into `out`, channel by channel, row by row. Colour becomes grey, and
// grey is repeated in all channels, as `shape` wants it (data/images/png.h, data/images/jpeg.h); an
// image of another size is stretched to that of `shape` (data/images/resize.h). Throws DataError
// "NAME: …" for what is neither kind, damaged, incomplete, or larger than kMostPixels. May be
// called from any thread. REQUIRES: out.size() == shape.bytes(), shape.channels is 1 or 3.
void decode_image(std::span<const std::uint8_t> file, const std::string& name,
                  const ImageShape& shape, std::span<std::uint8_t> out);

// Size and channels, without decoding. Throws likewise, but finds little of what is damaged.
ImageHeader read_image_header(std::span<const std::uint8_t> file, const std::string& name);

// Replaces `bytes` by the content of the file. Throws DataError, naming it, for what is no file,
// cannot be read, or has more than a quarter of a GiB.
void read_image_file(const std::filesystem::path& path, std::vector<std::uint8_t>& bytes);

struct BadImage {
  std::filesystem::path path;
  std::string reason;
};

struct DecodedImages {
  std::vector<std::uint8_t> bytes;  // those of the good ones, one after another
  std::vector<std::size_t> good;    // good[k]: which file image k is of; ascending
  std::vector<BadImage> bad;        // in the order of the files
};

// Reads and decodes all files, side by side where there are workers; the result does not depend on
// them. What cannot be read or decoded, or needs more memory than there is, is bad, and no error.
// Throws Interrupted.
DecodedImages decode_images(std::span<const ImageFile> files, const ImageShape& shape,
                            const LoadHooks& hooks);

// "3 of 500 images cannot be read", and a line for each of the first twenty: its path and why.
std::string bad_images_text(std::span<const BadImage> bad, std::size_t of);

}  // namespace gps
