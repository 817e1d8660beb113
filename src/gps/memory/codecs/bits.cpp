// N bits for each value of a pixel, packed: 2^N grey levels at equal distances, of which the lowest
// is 0 and the highest is 255. A value becomes the nearest level; with dithering, one of the two
// levels around it, so that areas keep their mean brightness. Which of the two depends on the value
// and on the place of the pixel (an ordered dither with Bayer's 4 x 4 matrix): nothing is random.
// The bits of value p are bits pN, …, pN + N - 1 of the row, counted from the lowest bit of its
// first byte.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "gps/core/text/numbers.h"
#include "gps/memory/codecs/codec.h"

namespace gps {
namespace {

constexpr unsigned kMostBits = 8;
// With more bits, two levels are too near each other: a level that is stored again could become
// its neighbour.
constexpr unsigned kMostDitheredBits = 4;
constexpr const char* kDitherSuffix = "/dither";

constexpr std::size_t kDitherSide = 4;
constexpr std::array<unsigned, kDitherSide* kDitherSide> kBayer = {0, 8,  2, 10, 12, 4, 14, 6,
                                                                   3, 11, 1, 9,  15, 7, 13, 5};

using Levels = std::array<std::uint8_t, 256>;

// The value of a level of 0, …, last.
constexpr std::uint8_t value_of(unsigned level, unsigned last) {
  return static_cast<std::uint8_t>((level * 255 * 2 + last) / (2 * last));
}

// The same by a product of 16 bits. scales_exactly() checks the numbers.
template <std::size_t bits>
constexpr std::uint8_t scaled(std::uint8_t level) {
  constexpr std::uint16_t kFactor = bits == 3 ? 9319 : bits == 5 ? 2105 : bits == 6 ? 1036 : 513;
  constexpr std::uint16_t kAdded = bits == 3 ? 150 : bits == 5 ? 140 : bits == 6 ? 132 : 192;
  return static_cast<std::uint8_t>(static_cast<std::uint16_t>(level * kFactor + kAdded) >> 8);
}

template <std::size_t bits>
constexpr bool scales_exactly() {
  constexpr unsigned kLast = (1u << bits) - 1;
  for (unsigned level = 0; level <= kLast; ++level) {
    if (scaled<bits>(static_cast<std::uint8_t>(level)) != value_of(level, kLast)) return false;
  }
  return true;
}

// Puts each of eight neighbouring values of so many bits into a byte of its own: the upper half
// moves up, then the upper half of each half, and so on.
template <std::size_t bits>
constexpr std::uint64_t spread(std::uint64_t word) {
  constexpr std::uint64_t kFour = (std::uint64_t{1} << (4 * bits)) - 1;
  constexpr std::uint64_t kTwo = ((std::uint64_t{1} << (2 * bits)) - 1) * 0x0000000100000001u;
  constexpr std::uint64_t kOne = ((std::uint64_t{1} << bits) - 1) * 0x0001000100010001u;
  word = (word & kFour) | (word << (32 - 4 * bits) & kFour << 32);
  word = (word & kTwo) | (word << (16 - 2 * bits) & kTwo << 16);
  return (word & kOne) | (word << (8 - bits) & kOne << 8);
}

// Returns the level of every value, of levels 0, …, last: value · last/255, plus a threshold
// between 0 and 1, rounded down. The threshold is (2 k + 1)/32.
Levels dithered_levels(unsigned last, unsigned k) {
  Levels levels{};
  for (unsigned value = 0; value < levels.size(); ++value) {
    levels[value] = static_cast<std::uint8_t>((value * last * 32 + (2 * k + 1) * 255) / (255 * 32));
  }
  return levels;
}

// The same with a threshold of 1/2.
Levels nearest_levels(unsigned last) {
  Levels levels{};
  for (unsigned value = 0; value < levels.size(); ++value)
    levels[value] = static_cast<std::uint8_t>((value * last * 2 + 255) / 510);
  return levels;
}

class BitsCodec final : public Codec {
  static_assert(std::endian::native == std::endian::little);

 public:
  BitsCodec(unsigned bits, bool is_dithered) : bits_(bits), is_dithered_(is_dithered) {
    const unsigned last = (1u << bits) - 1;
    if (is_dithered) {
      for (std::size_t k = 0; k < kBayer.size(); ++k) levels_[k] = dithered_levels(last, kBayer[k]);
    } else {
      levels_.fill(nearest_levels(last));
    }
    if (8 % bits != 0) return;
    const unsigned in_a_byte = 8 / bits;
    for (unsigned byte = 0; byte < 256; ++byte) {
      for (unsigned k = 0; k < in_a_byte; ++k)
        unpacked_[byte * in_a_byte + k] = value_of((byte >> (k * bits)) & last, last);
    }
  }

  std::string name() const override {
    return fmt::format("bits:{}{}", bits_, is_dithered_ ? kDitherSuffix : "");
  }

  std::size_t stored_bytes(const ImageShape& shape) const override {
    return (shape.bytes() * bits_ + 7) / 8;
  }

 private:
  void write(std::span<const std::uint8_t> image, const ImageShape& shape,
             std::span<std::uint8_t> stored) const override {
    std::size_t at = 0;
    unsigned waiting = 0;  // bits that do not fill a byte yet
    unsigned count = 0;
    const std::uint8_t* pixel = image.data();
    for (int channel = 0; channel < shape.channels; ++channel) {
      for (std::size_t y = 0; y < static_cast<std::size_t>(shape.height); ++y) {
        const Levels* const levels = levels_.data() + y % kDitherSide * kDitherSide;
        for (std::size_t x = 0; x < static_cast<std::size_t>(shape.width); ++x) {
          waiting |= static_cast<unsigned>(levels[x % kDitherSide][*pixel++]) << count;
          for (count += bits_; count >= 8; count -= 8) {
            stored[at++] = static_cast<std::uint8_t>(waiting & 0xFFu);
            waiting >>= 8;
          }
        }
      }
    }
    if (count > 0) stored[at] = static_cast<std::uint8_t>(waiting);
  }

  void read(std::span<const std::uint8_t> stored, const ImageShape& /*shape*/,
            std::span<std::uint8_t> image) const override {
    switch (bits_) {
      case 1:
        return read_bytes<1>(stored, image);
      case 2:
        return read_bytes<2>(stored, image);
      case 3:
        return read_groups<3>(stored, image);
      case 4:
        return read_bytes<4>(stored, image);
      case 5:
        return read_groups<5>(stored, image);
      case 6:
        return read_groups<6>(stored, image);
      case 7:
        return read_groups<7>(stored, image);
      default:
        return read_bytes<8>(stored, image);
    }
  }

  // For bits that divide 8: a table has the values of each byte side by side.
  template <std::size_t bits>
  void read_bytes(std::span<const std::uint8_t> stored, std::span<std::uint8_t> image) const {
    constexpr std::size_t kValues = 8 / bits;
    const std::size_t whole = image.size() / kValues;
    std::uint8_t* out = image.data();
    for (std::size_t k = 0; k < whole; ++k, out += kValues)
      std::memcpy(out, unpacked_.data() + stored[k] * kValues, kValues);
    const std::size_t rest = image.size() - whole * kValues;
    if (rest > 0) std::memcpy(out, unpacked_.data() + stored[whole] * kValues, rest);
  }

  // For any number of bits: eight values are as many whole bytes as a value has bits. Their levels
  // come first; then all become values at once, which compilers do with vectors.
  template <std::size_t bits>
  static void read_groups(std::span<const std::uint8_t> stored, std::span<std::uint8_t> image) {
    static_assert(scales_exactly<bits>());
    for (std::size_t group = 0; 8 * group < image.size(); ++group) {
      std::uint64_t word = 0;
      // Eight bytes are read at once: fewer would be read one after the other.
      const std::size_t left = stored.size() - group * bits;
      if (left >= 8) {
        std::memcpy(&word, stored.data() + group * bits, 8);
      } else {
        std::memcpy(&word, stored.data() + group * bits, left);
      }
      word = spread<bits>(word);
      std::memcpy(image.data() + 8 * group, &word,
                  std::min<std::size_t>(8, image.size() - 8 * group));
    }
    for (std::uint8_t& each : image) each = scaled<bits>(each);
  }

  unsigned bits_;
  bool is_dithered_;
  std::array<Levels, kBayer.size()> levels_{};  // by place in the matrix: the level of a value
  std::array<std::uint8_t, std::size_t{256} * 8>
      unpacked_{};  // the values in a byte, if none crosses bytes
};

}  // namespace

CodecEntry bits_entry() {
  std::vector<std::string> texts;
  for (unsigned bits = 1; bits <= kMostBits; ++bits) texts.push_back(fmt::format("bits:{}", bits));
  for (unsigned bits = 1; bits <= kMostDitheredBits; ++bits)
    texts.push_back(fmt::format("bits:{}{}", bits, kDitherSuffix));
  return {{"bits", "(not in the paper)",
           "bits:N: N bits for each value of a pixel, from 1 to 8. bits:N/dither, up to 4 bits, "
           "keeps the brightness of areas. For drawings and digits, and for pixels in any order."},
          fmt::format("bits:N (N from 1 to {}) or bits:N/dither (N from 1 to {})", kMostBits,
                      kMostDitheredBits),
          texts,
          [](const std::string& parameter) -> SharedCodec {
            const auto bits = read_number<unsigned>(parameter).value;
            return std::make_shared<BitsCodec>(bits, parameter.ends_with(kDitherSuffix));
          }};
}

}  // namespace gps
