// Small images and drawings in few bytes: pack:N takes at most N bytes for an image, whatever is in
// it. Without loss if that fits. Otherwise with fewer levels of grey, or of each colour, at equal
// distances, or with fewer pixels: of all ways that fit, the one with the smallest sum of squared
// differences. So all rows have the same size, as a memory needs it, and a simple image loses less
// than one with many details.
//
// Pixels are written one after the other, by decisions whose probabilities depend on the pixels
// around that are written already. Nothing is known at the start but that neighbours are often
// alike; the rest is learnt within the image.
//
// An image is written in one way only: with the fewest pixels and levels that lead to exactly this
// image. So what was read is stored as the same bytes again, and rows that nobody wrote are
// recognised more often.
//
// A row: halvings of height and width · 16 + index of the levels (1 byte), the decisions, zeros.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>

#include "gps/core/errors.h"
#include "gps/core/text/numbers.h"
#include "gps/memory/codecs/codec.h"
#include "gps/memory/codecs/range_coder.h"

namespace gps {
namespace {

constexpr std::array kPackSizes = {16,  24,  32,  40,  48,  56,   64,   80,   96,   128, 160,
                                   192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096};
constexpr std::size_t kPackHead = 1;
constexpr int kMostPackHalvings = 15;

// The highest level, from fine to coarse. The lowest is 0.
constexpr std::array kHighest = {255, 127, 63, 31, 15, 7, 5, 3, 2, 1};

struct Quantiser {
  std::array<std::uint8_t, 256> levels{};  // the nearest level of a value
  std::array<std::uint8_t, 256> values{};  // the value of a level
};

const std::array<Quantiser, kHighest.size()>& quantisers() {
  static const auto all = [] {
    std::array<Quantiser, kHighest.size()> made;
    for (std::size_t q = 0; q < kHighest.size(); ++q) {
      const int last = kHighest[q];
      for (int value = 0; value < 256; ++value)
        made[q].levels[static_cast<std::size_t>(value)] =
            static_cast<std::uint8_t>((value * last * 2 + 255) / 510);
      for (int level = 0; level <= last; ++level)
        made[q].values[static_cast<std::size_t>(level)] =
            static_cast<std::uint8_t>((level * 255 * 2 + last) / (2 * last));
    }
    return made;
  }();
  return all;
}

// By value: bit q is set if the value is one of quantiser q.
const std::array<std::uint32_t, 256>& exact_quantisers() {
  static const auto all = [] {
    std::array<std::uint32_t, 256> bits{};
    for (std::size_t q = 0; q < kHighest.size(); ++q) {
      for (int level = 0; level <= kHighest[q]; ++level)
        bits[quantisers()[q].values[static_cast<std::size_t>(level)]] |= 1u << q;
    }
    return bits;
  }();
  return all;
}

// An image with some pixels around each plane, so that every pixel has all its neighbours.
class Planes {
 public:
  static constexpr int kLeft = 2, kRight = 2, kAbove = 2;

  Planes(int planes, int rows, int columns)
      : channels(planes),
        height(rows),
        width(columns),
        stride_(columns + kLeft + kRight),
        bytes_(static_cast<std::size_t>(stride_ * planes * (rows + kAbove))) {}

  std::uint8_t* row(int channel, int y) {
    const int above = channel * (height + kAbove) + y + kAbove;
    return bytes_.data() + above * stride_ + kLeft;
  }
  const std::uint8_t* row(int channel, int y) const {
    return const_cast<Planes*>(this)->row(channel, y);
  }
  std::ptrdiff_t stride() const { return stride_; }

  int channels, height, width;

 private:
  std::ptrdiff_t stride_;
  std::vector<std::uint8_t> bytes_;
};

// Two levels: each pixel is one decision. Its contexts are 4, 6 and 10 pixels around it, as in
// JBIG, and the pixel of the channel before.
class TwoLevels {
 public:
  TwoLevels() {
    // Parts of 2^16 by how many of the left pixel (which counts twice), the one beside the upper
    // one, the upper one (twice) and the other beside it are set.
    constexpr std::array<unsigned, 7> kStart = {500, 8000, 20000, 32768, 45000, 57000, 65000};
    for (unsigned context = 0; context < near_.size(); ++context) {
      const unsigned set =
          2 * (context & 1u) + 2 * (context >> 2 & 1u) + (context >> 1 & 1u) + (context >> 3 & 1u);
      near_[context] = Chance(kStart[set], 4);
    }
  }

  template <typename Coder>
  void code_row(Coder& coder, std::uint8_t* row, int width, std::ptrdiff_t stride,
                const std::uint8_t* before) {
    const std::uint8_t* const up = row - stride;
    const std::uint8_t* const top = up - stride;
    // The pixels around, of which the last one that came in is the lowest bit: two to the left, up
    // to two beside the upper one, and one beside the one above that.
    unsigned left = row[-1] + 2u * row[-2];
    unsigned above = up[1] + 2u * up[0] + 4u * up[-1] + 8u * up[-2];
    unsigned far_above = top[0] + 2u * top[-1];
    for (int x = 0; x < width; ++x) {
      above = (2 * above + up[x + 2]) & 31u;
      far_above = (2 * far_above + top[x + 1]) & 7u;
      const unsigned other = before == nullptr ? 0u : 1u + before[x];
      const unsigned near = (left & 1u) + (above & 14u);
      const unsigned around = near + 8u * (left & 2u) + 16u * (far_above & 2u);
      const unsigned wide = left + 4u * above + 128u * far_above;
      const bool yes = code(coder, row[x] != 0, near_[near + 16 * other],
                            around_[around + 64 * other], wide_[wide + 1024 * other]);
      row[x] = yes ? 1 : 0;
      left = (2 * left + row[x]) & 3u;
    }
  }

 private:
  template <typename Coder>
  static bool code(Coder& coder, bool is_set, Chance& first, Chance& second, Chance& third) {
    // A wider context begins as the narrower one has learnt to be.
    if (!second.is_set()) second = Chance(first.parts(), 3);
    if (!third.is_set()) third = Chance(second.parts(), 2);
    const bool yes = coder.code(third, is_set);
    first.learn(yes);
    second.learn(yes);
    third.learn(yes);
    return yes;
  }

  std::array<Chance, std::size_t{3} * 16> near_;
  std::array<Chance, std::size_t{3} * 64> around_;
  std::array<Chance, std::size_t{3} * 1024> wide_;
};

// More levels: a pixel is predicted from its neighbours (as in LOCO-I), and from the channel
// before. It is as predicted or not; if not, above or below, and by how much.
class ManyLevels {
 public:
  explicit ManyLevels(int last) : last_(last) {
    for (std::size_t k = 0; k < same_.size(); ++k) same_[k] = Chance(kSame[k % kBuckets], 8);
  }

  // Whether all levels that were read can be.
  bool is_possible() const { return is_possible_; }

  template <typename Coder>
  void code_row(Coder& coder, std::uint8_t* row, int width, std::ptrdiff_t stride,
                const std::uint8_t* before) {
    for (int x = 0; x < width; ++x)
      row[x] = code(coder, row + x, stride, before == nullptr ? nullptr : before + x);
  }

 private:
  template <typename Coder>
  std::uint8_t code(Coder& coder, const std::uint8_t* at, std::ptrdiff_t stride,
                    const std::uint8_t* before) {
    const int w = at[-1], n = at[-stride], nw = at[-stride - 1], ne = at[1 - stride];
    int predicted = median(w, n, nw);
    unsigned other = 0;
    if (before != nullptr) {
      const int shift = *before - median(before[-1], before[-stride], before[-stride - 1]);
      predicted = std::clamp(predicted + shift, 0, last_);
      other = shift == 0 ? 1 : 2;
    }
    const int spread = std::abs(w - nw) + std::abs(n - nw) + std::abs(ne - n);
    const unsigned bucket = std::min<unsigned>(
        kBuckets - 1, static_cast<unsigned>(std::bit_width(static_cast<unsigned>(spread))));
    const unsigned detail = (w == at[-2] ? 1u : 0u) + (n == at[-2 * stride] ? 2u : 0u) +
                            (predicted == 0 ? 4u : 0u) + (ne == n ? 8u : 0u) + (w == n ? 16u : 0u) +
                            (nw == n ? 32u : 0u);
    const int difference = *at - predicted;
    const unsigned place = bucket + kBuckets * other;
    Chance& same = same_[place];
    Chance& same_in_detail = same_in_detail_[place + same_.size() * detail];
    if (!same_in_detail.is_set()) same_in_detail = Chance(same.parts(), 3);
    const bool is_same = coder.code(same_in_detail, difference == 0);
    same.learn(is_same);
    same_in_detail.learn(is_same);
    if (is_same) return static_cast<std::uint8_t>(predicted);
    bool is_above = difference > 0;
    if (predicted == 0) {
      is_above = true;
    } else if (predicted == last_) {
      is_above = false;
    } else {
      Chance& chance = above_[bucket + kBuckets * (w > n ? 1u : w < n ? 2u : 0u)];
      if (!chance.is_set()) chance = Chance(1u << 15, 2);
      is_above = coder.code(chance, is_above);
      chance.learn(is_above);
    }
    const unsigned size = code_size(coder, static_cast<unsigned>(std::abs(difference)),
                                    bucket + kBuckets * (predicted == 0 ? 1u : 0u));
    const int level =
        is_above ? predicted + static_cast<int>(size) : predicted - static_cast<int>(size);
    is_possible_ = is_possible_ && level >= 0 && level <= last_;
    return static_cast<std::uint8_t>(std::clamp(level, 0, last_));
  }

  static constexpr unsigned kBuckets = 9;
  static constexpr std::array<unsigned, kBuckets> kSame = {62000, 40000, 30000, 24000, 16000,
                                                           9000,  5000,  3500,  2500};

  static int median(int w, int n, int nw) {
    if (nw >= std::max(w, n)) return std::min(w, n);
    if (nw <= std::min(w, n)) return std::max(w, n);
    return w + n - nw;
  }

  // Codes a number from 1 to 255: how many bits it has, then the bits below the highest.
  template <typename Coder>
  unsigned code_size(Coder& coder, unsigned size, unsigned bucket) {
    const unsigned bits = static_cast<unsigned>(std::bit_width(size));
    const unsigned most = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(last_)));
    unsigned length = 1;
    for (; length < most; ++length) {
      Chance& chance = longer_[length + 8 * bucket];
      if (!chance.is_set()) chance = Chance(24000, 2);
      const bool yes = coder.code(chance, bits > length);
      chance.learn(yes);
      if (!yes) break;
    }
    unsigned value = 1;
    for (unsigned k = length - 1; k > 0; --k) {
      Chance& chance = lower_[length + 8 * (k - 1) + (k == length - 1 ? 64u : 0u)];
      if (!chance.is_set()) chance = Chance(1u << 15, 4);
      const bool yes = coder.code(chance, (size >> (k - 1) & 1u) != 0);
      chance.learn(yes);
      value = 2 * value + (yes ? 1u : 0u);
    }
    return value;
  }

  int last_;
  bool is_possible_ = true;
  std::array<Chance, std::size_t{kBuckets} * 3> same_;
  std::array<Chance, std::size_t{kBuckets} * 3 * 64> same_in_detail_;
  std::array<Chance, std::size_t{kBuckets} * 3> above_;
  std::array<Chance, std::size_t{kBuckets} * 2 * 8 + 8> longer_;
  std::array<Chance, 160> lower_;
};

// Codes all pixels, until the coder is over. Works on a copy of the coder, which the compiler can
// keep in registers while bytes are written.
template <typename Model, typename Coder>
void code_planes(Model& model, Coder& all, Planes& planes) {
  Coder coder = all;
  for (int channel = 0; channel < planes.channels; ++channel) {
    for (int y = 0; y < planes.height && !coder.is_over(); ++y) {
      std::uint8_t* const row = planes.row(channel, y);
      const std::uint8_t* const before = channel == 0 ? nullptr : planes.row(channel - 1, y);
      // What is beside the image is as the pixel next to it.
      row[-1] = row[-2] = y == 0 ? 0 : planes.row(channel, y - 1)[0];
      model.code_row(coder, row, planes.width, planes.stride(), before);
      row[planes.width] = row[planes.width + 1] = row[planes.width - 1];
    }
  }
  all = coder;
}

// Returns whether all levels that were read can be.
template <typename Coder>
bool code_all(Coder& coder, Planes& planes, int last) {
  if (last == 1) {
    TwoLevels model;
    code_planes(model, coder, planes);
    return true;
  }
  ManyLevels model(last);
  code_planes(model, coder, planes);
  return model.is_possible();
}

int halved_side(int side, int times) { return ((side - 1) >> times) + 1; }

// The pixels of an image after some halvings, each the mean of the block that it stands for. Blocks
// at the right and the lower edge may be smaller.
Planes halved_planes(std::span<const std::uint8_t> image, const ImageShape& shape, int halvings) {
  Planes planes(shape.channels, halved_side(shape.height, halvings),
                halved_side(shape.width, halvings));
  const int side = 1 << halvings;
  for (int channel = 0; channel < shape.channels; ++channel) {
    const std::uint8_t* const plane =
        image.data() + static_cast<std::size_t>(channel) * shape.pixels();
    for (int row = 0; row < planes.height; ++row) {
      const int bottom = std::min(shape.height, (row + 1) * side);
      for (int column = 0; column < planes.width; ++column) {
        const int right = std::min(shape.width, (column + 1) * side);
        unsigned sum = 0;
        for (int y = row * side; y < bottom; ++y) {
          for (int x = column * side; x < right; ++x) sum += plane[y * shape.width + x];
        }
        const auto count = static_cast<unsigned>((bottom - row * side) * (right - column * side));
        planes.row(channel, row)[column] = static_cast<std::uint8_t>((sum + count / 2) / count);
      }
    }
  }
  return planes;
}

// Whether each block of 2 x 2 pixels is of one value.
bool can_be_halved(const Planes& planes) {
  if (planes.height == 1 && planes.width == 1) return false;
  for (int channel = 0; channel < planes.channels; ++channel) {
    for (int y = 0; y < planes.height; ++y) {
      const std::uint8_t* const row = planes.row(channel, y);
      const std::uint8_t* const first = planes.row(channel, y & ~1);
      for (int x = 0; x < planes.width; ++x) {
        if (row[x] != first[x & ~1]) return false;
      }
    }
  }
  return true;
}

Planes halved_again(const Planes& planes) {
  Planes half(planes.channels, halved_side(planes.height, 1), halved_side(planes.width, 1));
  for (int channel = 0; channel < half.channels; ++channel) {
    for (int y = 0; y < half.height; ++y) {
      for (int x = 0; x < half.width; ++x)
        half.row(channel, y)[x] = planes.row(channel, 2 * y)[std::ptrdiff_t{2} * x];
    }
  }
  return half;
}

template <typename Work>
void for_each_pixel(Planes& planes, const Work& work) {
  for (int channel = 0; channel < planes.channels; ++channel) {
    for (int y = 0; y < planes.height; ++y) {
      std::uint8_t* const row = planes.row(channel, y);
      for (int x = 0; x < planes.width; ++x) work(row[x]);
    }
  }
}

// The coarsest quantiser that has all values of the image.
std::size_t coarsest_exact(Planes& values) {
  std::uint32_t exact = ~0u;
  for_each_pixel(values, [&](std::uint8_t value) { exact &= exact_quantisers()[value]; });
  return static_cast<std::size_t>(std::bit_width(exact)) - 1;
}

std::uint64_t squared_difference(std::span<const std::uint8_t> image, const ImageShape& shape,
                                 const Planes& values, int halvings) {
  std::uint64_t sum = 0;
  const std::uint8_t* at = image.data();
  for (int channel = 0; channel < shape.channels; ++channel) {
    for (int y = 0; y < shape.height; ++y) {
      const std::uint8_t* const row = values.row(channel, y >> halvings);
      for (int x = 0; x < shape.width; ++x) {
        const int difference = *at++ - row[x >> halvings];
        sum += static_cast<std::uint64_t>(difference * difference);
      }
    }
  }
  return sum;
}

// Writes the row of an image that is given by its values after some halvings. Returns whether it
// fits.
bool write_row(Planes values, int halvings, std::span<std::uint8_t> stored) {
  for (; can_be_halved(values); ++halvings) values = halved_again(values);
  const std::size_t quantiser = coarsest_exact(values);
  const auto& levels = quantisers()[quantiser].levels;
  for_each_pixel(values, [&](std::uint8_t& value) { value = levels[value]; });
  std::fill(stored.begin(), stored.end(), std::uint8_t{0});
  stored[0] = static_cast<std::uint8_t>(halvings * 16 + static_cast<int>(quantiser));
  RangeWriter writer(stored.subspan(kPackHead));
  code_all(writer, values, kHighest[quantiser]);
  return !writer.is_over() && writer.finish();
}

class PackCodec final : public Codec {
 public:
  explicit PackCodec(int bytes) : bytes_(static_cast<std::size_t>(bytes)) {}

  std::string name() const override { return fmt::format("pack:{}", bytes_); }
  bool uses_neighbours() const override { return true; }

  void check(const ImageShape& shape) const override {
    if (shape.channels > kMostChannels)
      throw OptionError("codec", fmt::format("{} needs images of at most {} channels, but these "
                                             "have {}",
                                             name(), kMostChannels, shape.channels));
    if (bytes_ > shape.bytes())
      throw OptionError("codec", fmt::format("{} takes more than the {} bytes of the pixels; use "
                                             "raw or fewer bytes",
                                             name(), shape.bytes()));
  }

  std::size_t stored_bytes(const ImageShape& /*shape*/) const override { return bytes_; }

 private:
  static constexpr int kMostChannels = 16;  // so many single pixels fit into any row

  void write(std::span<const std::uint8_t> image, const ImageShape& shape,
             std::span<std::uint8_t> stored) const override {
    Planes planes = halved_planes(image, shape, 0);
    if (write_row(planes, 0, stored)) return;
    std::vector<std::uint8_t> tried(stored.size());
    std::uint64_t least = ~std::uint64_t{0};
    for (int halvings = 0; halvings <= kMostPackHalvings; ++halvings) {
      if (halvings > 0) planes = halved_planes(image, shape, halvings);
      // Means differ less from their blocks than any other level does.
      if (squared_difference(image, shape, planes, halvings) >= least) return;
      std::size_t low = 0;  // the search takes it that fewer levels take no more bytes
      std::size_t high = kHighest.size();
      while (low < high) {
        const std::size_t middle = (low + high) / 2;
        Planes coarse = planes;
        const Quantiser& quantiser = quantisers()[middle];
        for_each_pixel(coarse, [&](std::uint8_t& value) {
          value = quantiser.values[quantiser.levels[value]];
        });
        if (!write_row(coarse, halvings, tried)) {
          low = middle + 1;
          continue;
        }
        high = middle;
        const std::uint64_t difference = squared_difference(image, shape, coarse, halvings);
        if (difference >= least) continue;
        least = difference;
        std::copy(tried.begin(), tried.end(), stored.begin());
      }
      if (high == 0) return;  // with fewer pixels, it can only be worse
    }
  }

  void read(std::span<const std::uint8_t> stored, const ImageShape& shape,
            std::span<std::uint8_t> image) const override {
    const int halvings = stored[0] / 16;
    const std::size_t quantiser = stored[0] % 16;
    const bool has_been_one = halvings > 0 && halved_side(shape.height, halvings - 1) == 1 &&
                              halved_side(shape.width, halvings - 1) == 1;
    if (quantiser >= kHighest.size() || has_been_one) refuse();
    Planes planes(shape.channels, halved_side(shape.height, halvings),
                  halved_side(shape.width, halvings));
    RangeReader reader(stored.subspan(kPackHead));
    if (!reader.is_possible() || !code_all(reader, planes, kHighest[quantiser])) refuse();
    const auto& values = quantisers()[quantiser].values;
    for_each_pixel(planes, [&](std::uint8_t& level) { level = values[level]; });
    if (reader.has_rest() || can_be_halved(planes) || coarsest_exact(planes) != quantiser) refuse();
    auto out = image.begin();
    for (int channel = 0; channel < shape.channels; ++channel) {
      for (int y = 0; y < shape.height; ++y) {
        const std::uint8_t* const row = planes.row(channel, y >> halvings);
        for (int x = 0; x < shape.width; ++x) *out++ = row[x >> halvings];
      }
    }
  }

  [[noreturn]] void refuse() const {
    throw DataError(fmt::format("a stored image is damaged: it is not one of codec {}", name()));
  }

  std::size_t bytes_;
};

}  // namespace

CodecEntry pack_entry() {
  std::vector<std::string> texts;
  for (const int size : kPackSizes) texts.push_back(fmt::format("pack:{}", size));
  return {{"pack", "(not in the paper)",
           "pack:N: at most N bytes an image, without loss if that fits, otherwise with as many "
           "levels or pixels as fit. For small images and drawings."},
          fmt::format("pack:N (N is 16, 24, 32, 40, 48, 56, 64, 80 and so on, up to {})",
                      kPackSizes.back()),
          texts,
          [](const std::string& parameter) -> SharedCodec {
            return std::make_shared<PackCodec>(read_number<int>(parameter).value);
          }};
}

}  // namespace gps
