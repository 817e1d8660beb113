// Turns JPEG, PNG, WebP and GIF files of any size into images of one shape. The kind of a file is
// detected from its content, not from its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gps/core/errors.h"
#include "gps/data/dataset.h"
#include "gps/data/images/image_listing.h"
#include "gps/data/images/pixels.h"
#include "gps/data/loading.h"

namespace gps {

// An image cannot be used: its name and the reason, apart and as the message "NAME: reason".
class ImageError : public DataError {
 public:
  ImageError(const std::string& name, std::string reason)
      : DataError(name + ": " + reason), name_(name), reason_(std::move(reason)) {}
  const std::string& name() const { return name_; }  // as the caller named it: a path
  const std::string& reason() const { return reason_; }

 private:
  std::string name_;
  std::string reason_;
};

// Returns whether the bytes begin like a file of a kind that can be read.
bool is_image(std::span<const std::uint8_t> file);

// Decodes the bytes of a file into `out`, channel by channel, row by row. If `shape` has one
// channel, colour becomes grey; if it has three, grey is repeated in all of them
// (data/images/jpeg.h, png.h, webp.h, gif.h). An image of another size is stretched to that of
// `shape` (data/images/resize.h). Throws ImageError if the file is of no such kind,
// damaged, incomplete, or larger than kMostPixels. May be called from any thread. REQUIRES:
// out.size() == shape.bytes(), shape.channels is 1 or 3.
void decode_image(std::span<const std::uint8_t> file, const std::string& name,
                  const ImageShape& shape, std::span<std::uint8_t> out);

// Reads the size and the channels without decoding. Throws as above, but detects little damage.
ImageHeader read_image_header(std::span<const std::uint8_t> file, const std::string& name);

// Replaces `bytes` by the content of the file. Throws ImageError if it is not
// a file, cannot be read, or has more than a quarter of a GiB.
void read_image_file(const std::filesystem::path& path, std::vector<std::uint8_t>& bytes);

struct BadImage {
  std::filesystem::path path;
  std::string reason;
};

struct DecodedImages {
  std::vector<std::uint8_t> bytes;  // the good images, one after another
  std::vector<std::size_t> good;    // good[k]: index of the file of image k; ascending
  std::vector<BadImage> bad;        // in the order of the files
};

// Reads and decodes all files, in parallel if there are workers; the result does not depend on
// their number. A file that cannot be read or decoded, or needs more memory than there is, is
// listed as bad and does not throw. Throws Interrupted.
DecodedImages decode_images(std::span<const ImageFile> files, const ImageShape& shape,
                            const LoadHooks& hooks);

// Returns "3 of 500 images cannot be read", and a line with path and reason for each of the first
// twenty.
std::string bad_images_text(std::span<const BadImage> bad, std::size_t of);

}  // namespace gps
