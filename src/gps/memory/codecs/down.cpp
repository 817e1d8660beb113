// Fewer pixels: the mean of each block of F x F pixels, in each channel. All pixels of a block are
// decoded to its mean. Height and width must be multiples of F.
#include <fmt/format.h>

#include <algorithm>

#include "gps/core/text/numbers.h"
#include "gps/memory/codecs/codec.h"

namespace gps {
namespace {

constexpr int kMostFactor = 16;

class DownCodec final : public Codec {
 public:
  explicit DownCodec(int factor) : factor_(factor) {}

  std::string name() const override { return fmt::format("down:{}", factor_); }
  bool uses_neighbours() const override { return true; }

  void check(const ImageShape& shape) const override {
    if (shape.height % factor_ == 0 && shape.width % factor_ == 0) return;
    throw OptionError("codec", fmt::format("{} needs images whose height and width are multiples "
                                           "of {}, but these have {} x {} pixels",
                                           name(), factor_, shape.height, shape.width));
  }

  std::size_t stored_bytes(const ImageShape& shape) const override {
    const auto factor = static_cast<std::size_t>(factor_);
    return shape.bytes() / (factor * factor);
  }

 private:
  void write(std::span<const std::uint8_t> image, const ImageShape& shape,
             std::span<std::uint8_t> stored) const override {
    const auto factor = static_cast<std::size_t>(factor_);
    const auto width = static_cast<std::size_t>(shape.width);
    const std::size_t columns = width / factor;
    const std::size_t area = factor * factor;
    for (std::size_t k = 0; k < stored.size(); ++k) {
      // Channels lie below one another, and whole blocks fit into each.
      const std::size_t first = k / columns * factor * width + k % columns * factor;
      std::size_t sum = 0;
      for (std::size_t y = 0; y < factor; ++y) {
        for (std::size_t x = 0; x < factor; ++x) sum += image[first + y * width + x];
      }
      stored[k] = static_cast<std::uint8_t>((sum + area / 2) / area);
    }
  }

  void read(std::span<const std::uint8_t> stored, const ImageShape& shape,
            std::span<std::uint8_t> image) const override {
    const auto factor = static_cast<std::size_t>(factor_);
    const auto width = static_cast<std::size_t>(shape.width);
    const std::size_t columns = width / factor;
    auto out = image.begin();
    for (std::size_t first = 0; first < stored.size(); first += columns) {
      const auto row = out;
      for (const std::uint8_t mean : stored.subspan(first, columns))
        out = std::fill_n(out, factor, mean);
      for (std::size_t y = 1; y < factor; ++y) out = std::copy_n(row, width, out);
    }
  }

  int factor_;
};

}  // namespace

CodecEntry down_entry() {
  std::vector<std::string> texts;
  for (int factor = 2; factor <= kMostFactor; ++factor)
    texts.push_back(fmt::format("down:{}", factor));
  return {{"down", "(not in the paper)",
           "down:F: the mean of each block of F x F pixels, from 2 to 16. Height and width must be "
           "multiples of F. For photographs."},
          fmt::format("down:F (F from 2 to {})", kMostFactor),
          texts,
          [](const std::string& parameter) -> SharedCodec {
            return std::make_shared<DownCodec>(read_number<int>(parameter).value);
          }};
}

}  // namespace gps
