// A codec: how a memory stores the pixels of an image. Coarser pixels take fewer bytes, so that
// more images fit into the same memory. All rows of a memory have the same size, which the shape of
// its images determines.
//
// To add a codec, write codecs/<name>.cpp with the class and its entry, and list the entry in
// codecs/catalog.cpp. The contract test covers it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gps/core/catalog.h"
#include "gps/data/dataset.h"

namespace gps {

class Codec {
 public:
  virtual ~Codec() = default;

  // As make_codec() reads it: "bits:1/dither".
  virtual std::string name() const = 0;

  // Whether the stored bytes are the pixels themselves. They are then used without a copy.
  virtual bool keeps_pixels() const { return false; }

  // Whether it makes use of neighbouring pixels that are alike. Memories then store images as they
  // were before a known rearrangement of their pixels, and keep some of the images that they have
  // decoded (memory/decoded_image.h).
  virtual bool uses_neighbours() const { return false; }

  // Whether the image that stored bytes decode to is stored as the same bytes, so that nothing is
  // lost twice.
  virtual bool is_stable() const { return true; }

  // Throws OptionError for images that it cannot store.
  virtual void check(const ImageShape& /*shape*/) const {}

  // REQUIRES: check() accepts the shape; the same for the functions below.
  virtual std::size_t stored_bytes(const ImageShape& shape) const = 0;

  // Writes stored_bytes() bytes. The same image always gives the same bytes. REQUIRES: both spans
  // have the right sizes.
  void encode(std::span<const std::uint8_t> image, const ImageShape& shape,
              std::span<std::uint8_t> stored) const;

  // Writes the pixels. Throws DataError if `stored` has the wrong length, or is none that encode()
  // can have written, where the codec sees that. REQUIRES: image.size() >= shape.bytes().
  void decode(std::span<const std::uint8_t> stored, const ImageShape& shape,
              std::span<std::uint8_t> image) const;

 private:
  // The same, with sizes that are right.
  virtual void write(std::span<const std::uint8_t> image, const ImageShape& shape,
                     std::span<std::uint8_t> stored) const = 0;
  virtual void read(std::span<const std::uint8_t> stored, const ImageShape& shape,
                    std::span<std::uint8_t> image) const = 0;
};

using SharedCodec = std::shared_ptr<const Codec>;

struct CodecEntry : Entry {
  std::string form;                     // how it is written: "bits:N (N from 1 to 8)"
  std::vector<std::string> texts = {};  // every text that it takes: "bits:1", …
  // Makes the codec with what follows the colon. REQUIRES: the text is in `texts`.
  SharedCodec (*make)(const std::string& parameter) = nullptr;
};

const std::vector<CodecEntry>& codec_catalog();

// Every text that make_codec() takes.
std::vector<std::string> codec_texts();

// Makes the codec that the text names. Throws OptionError.
SharedCodec make_codec(const std::string& text);

// Pixels as they are: the default of a memory.
const SharedCodec& raw_codec();

}  // namespace gps
