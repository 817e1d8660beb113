// Pixels as they are, one byte each.
#include <algorithm>

#include "gps/memory/codecs/codec.h"

namespace gps {
namespace {

class RawCodec final : public Codec {
 public:
  std::string name() const override { return "raw"; }
  bool keeps_pixels() const override { return true; }
  std::size_t stored_bytes(const ImageShape& shape) const override { return shape.bytes(); }

 private:
  void write(std::span<const std::uint8_t> image, const ImageShape& /*shape*/,
             std::span<std::uint8_t> stored) const override {
    std::copy(image.begin(), image.end(), stored.begin());
  }
  void read(std::span<const std::uint8_t> stored, const ImageShape& /*shape*/,
            std::span<std::uint8_t> image) const override {
    std::copy(stored.begin(), stored.end(), image.begin());
  }
};

}  // namespace

CodecEntry raw_entry() {
  return {{"raw", "(as in the paper)", "Pixels as they are: one byte for each value."},
          "raw",
          {"raw"},
          [](const std::string&) -> SharedCodec { return std::make_shared<RawCodec>(); }};
}

}  // namespace gps
