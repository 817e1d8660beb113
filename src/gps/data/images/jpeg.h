// Decoding JPEG files (libjpeg-turbo).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "gps/data/dataset.h"
#include "gps/data/images/pixels.h"

namespace gps {

bool is_jpeg(std::span<const std::uint8_t> file);

// Both throw DataError with the reason alone, for the caller knows the file's name.
ImageHeader read_jpeg_header(std::span<const std::uint8_t> file);

// Grey stays grey; with most_channels 1, of colour only the luma (Y) is decoded. How the camera was
// held (EXIF) is not looked at. Files of four channels, for printing, are refused, and so is what
// is damaged or incomplete. REQUIRES: most_channels is 1 or 3.
Pixels read_jpeg(std::span<const std::uint8_t> file, int most_channels);

// Decodes the bytes of a JPEG file into `out`, channel by channel, row by row. An image of one
// channel is repeated in all that `shape` has. Throws DataError, naming `path`, if the image has
// other sides than `shape`, a number of channels that fits neither, or is damaged or incomplete.
// REQUIRES: out.size() == shape.bytes(), shape.channels is 1 or 3.
void decode_jpeg(std::span<const std::uint8_t> file, const std::filesystem::path& path,
                 const ImageShape& shape, std::span<std::uint8_t> out);

}  // namespace gps
