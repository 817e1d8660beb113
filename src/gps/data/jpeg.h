// Decoding JPEG files (libjpeg-turbo).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "gps/data/dataset.h"

namespace gps {

// Decodes the bytes of a JPEG file into `out`, channel by channel, row by row. An image of one
// channel is repeated in all that `shape` has. Throws DataError, naming `path`, if the image has
// other sides than `shape`, a number of channels that fits neither, or is damaged or incomplete.
// REQUIRES: out.size() == shape.bytes(), shape.channels is 1 or 3.
void decode_jpeg(std::span<const std::uint8_t> file, const std::filesystem::path& path,
                 const ImageShape& shape, std::span<std::uint8_t> out);

}  // namespace gps
