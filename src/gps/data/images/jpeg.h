// Decoding JPEG files (libjpeg-turbo).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "gps/data/dataset.h"
#include "gps/data/images/pixels.h"

namespace gps {

bool is_jpeg(std::span<const std::uint8_t> file);

// Both throw DataError with the reason alone; the caller knows the file's name. Both turn the image
// as its EXIF orientation says (data/images/exif_orientation.h).
ImageHeader read_jpeg_header(std::span<const std::uint8_t> file);

// Decodes the image. Grey stays grey; with most_channels 1, only the luma (Y) of a colour image is
// decoded. Files with four channels for printing (CMYK and YCCK) are converted to colour
// (data/images/channels.h); they are taken for inverted if they have Adobe's marker. Damaged and
// incomplete files are refused. REQUIRES: most_channels is 1 or 3.
Pixels read_jpeg(std::span<const std::uint8_t> file, int most_channels);

// Decodes the bytes of a JPEG file into `out`, channel by channel, row by row. A grey image is
// repeated in all channels of `shape`. Throws DataError, which names `path`, if the image has
// another size than `shape`, has channels other than 1 or shape.channels, or is damaged or
// incomplete. For images of published sets: an EXIF orientation is ignored. REQUIRES: out.size() ==
// shape.bytes(), shape.channels is 1 or 3.
void decode_jpeg(std::span<const std::uint8_t> file, const std::filesystem::path& path,
                 const ImageShape& shape, std::span<std::uint8_t> out);

}  // namespace gps
