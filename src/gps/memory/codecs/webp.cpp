// Photographs as WebP: webp:N takes at most N bytes for an image, whatever is in it. If the pixels
// fit without loss, they are stored so. Otherwise the quality is the highest at which they fit. If
// they fit at none, the image is halved in height and width until it does. So all rows have the
// same size, as a memory needs it, and a simple image loses less than one with many details.
//
// A row: the number of halvings (1 byte), the length of the WebP data (2 bytes, the lower one
// first), the data, zeros.
#include <fmt/format.h>
#include <webp/decode.h>
#include <webp/encode.h>

#include <algorithm>
#include <array>
#include <new>
#include <optional>

#include "gps/core/errors.h"
#include "gps/core/text/numbers.h"
#include "gps/memory/codecs/codec.h"

namespace gps {
namespace {

constexpr std::array kSizes = {64,   96,   128,  192,  256,  384,   512,   768,   1024, 1536,
                               2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};
constexpr std::size_t kHead = 3;
constexpr int kMostHalvings = 14;  // WebP has at most 16383 pixels on a side

// An image as WebP takes it: three bytes for each pixel, one after the other, also of grey images.
struct Raster {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

int halved(int side, int times) { return ((side - 1) >> times) + 1; }

// Makes each pixel the mean of the block that it stands for. Blocks at the right and the lower edge
// may be smaller.
Raster picture_of(std::span<const std::uint8_t> image, const ImageShape& shape, int halvings) {
  Raster picture{halved(shape.width, halvings), halved(shape.height, halvings), {}};
  picture.pixels.reserve(std::size_t{3} * static_cast<std::size_t>(picture.width) *
                         static_cast<std::size_t>(picture.height));
  const int side = 1 << halvings;
  for (int row = 0; row < picture.height; ++row) {
    for (int column = 0; column < picture.width; ++column) {
      for (int channel = 0; channel < 3; ++channel) {
        const int plane = shape.channels == 1 ? 0 : channel;
        std::size_t sum = 0;
        std::size_t count = 0;
        for (int y = row * side; y < std::min(shape.height, (row + 1) * side); ++y) {
          for (int x = column * side; x < std::min(shape.width, (column + 1) * side); ++x) {
            const int at = (plane * shape.height + y) * shape.width + x;
            sum += image[static_cast<std::size_t>(at)];
            ++count;
          }
        }
        picture.pixels.push_back(static_cast<std::uint8_t>((sum + count / 2) / count));
      }
    }
  }
  return picture;
}

// The qualities that are tried. Neighbours differ by about a tenth of the bytes.
constexpr std::array kQualities = {0, 3, 6, 10, 15, 20, 26, 32, 40, 48, 56, 65, 74, 83, 92, 100};

struct WebpPicture : WebPPicture {
  explicit WebpPicture(const Raster& raster) : WebPPicture() {
    if (WebPPictureInit(this) == 0) throw std::bad_alloc();
    width = raster.width;
    height = raster.height;
  }
  ~WebpPicture() { WebPPictureFree(this); }
  WebpPicture(const WebpPicture&) = delete;
  WebpPicture& operator=(const WebpPicture&) = delete;
};

int append(const std::uint8_t* data, std::size_t size, const WebPPicture* picture) {
  auto& bytes = *static_cast<std::vector<std::uint8_t>*>(picture->custom_ptr);
  bytes.insert(bytes.end(), data, data + size);
  return 1;
}

// Without loss if there is no quality. The fastest way without loss is close to the smallest.
std::vector<std::uint8_t> encoded(const Raster& raster, std::optional<int> quality) {
  WebPConfig config;
  WebPConfigInit(&config);
  if (quality) {
    config.quality = static_cast<float>(*quality);
  } else {
    WebPConfigLosslessPreset(&config, 0);
  }
  WebpPicture picture(raster);
  picture.use_argb = quality ? 0 : 1;
  std::vector<std::uint8_t> bytes;
  picture.writer = append;
  picture.custom_ptr = &bytes;
  const bool is_done =
      WebPPictureImportRGB(&picture, raster.pixels.data(), 3 * raster.width) != 0 &&
      WebPEncode(&config, &picture) != 0;
  if (!is_done) throw std::bad_alloc();  // nothing else can go wrong with such a picture
  return bytes;
}

// Returns the best encoding of at most `room` bytes, or nothing.
std::optional<std::vector<std::uint8_t>> best_within(const Raster& raster, std::size_t room) {
  std::vector<std::uint8_t> exact = encoded(raster, std::nullopt);
  if (exact.size() <= room) return exact;
  std::optional<std::vector<std::uint8_t>> best;
  std::size_t low = 0;  // the search takes it that a higher quality takes no fewer bytes
  std::size_t high = kQualities.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    std::vector<std::uint8_t> tried = encoded(raster, kQualities[middle]);
    if (tried.size() <= room) {
      best = std::move(tried);
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return best;
}

class WebpCodec final : public Codec {
 public:
  explicit WebpCodec(int bytes) : bytes_(static_cast<std::size_t>(bytes)) {}

  std::string name() const override { return fmt::format("webp:{}", bytes_); }
  bool uses_neighbours() const override { return true; }
  bool is_stable() const override { return false; }

  void check(const ImageShape& shape) const override {
    if (shape.channels != 1 && shape.channels != 3)
      throw OptionError("codec", fmt::format("{} needs grey or coloured images, but these have {} "
                                             "channels",
                                             name(), shape.channels));
    if (std::max(shape.height, shape.width) > WEBP_MAX_DIMENSION)
      throw OptionError("codec", fmt::format("{} needs images of at most {} x {} pixels, but these "
                                             "have {} x {}",
                                             name(), WEBP_MAX_DIMENSION, WEBP_MAX_DIMENSION,
                                             shape.height, shape.width));
    if (bytes_ > shape.bytes())
      throw OptionError("codec", fmt::format("{} takes more than the {} bytes of the pixels; use "
                                             "raw or fewer bytes",
                                             name(), shape.bytes()));
  }

  std::size_t stored_bytes(const ImageShape& /*shape*/) const override { return bytes_; }

 private:
  void write(std::span<const std::uint8_t> image, const ImageShape& shape,
             std::span<std::uint8_t> stored) const override {
    for (int halvings = 0; halvings <= kMostHalvings; ++halvings) {
      const auto best = best_within(picture_of(image, shape, halvings), stored.size() - kHead);
      if (!best) continue;  // one pixel always fits
      stored[0] = static_cast<std::uint8_t>(halvings);
      stored[1] = static_cast<std::uint8_t>(best->size() % 256);
      stored[2] = static_cast<std::uint8_t>(best->size() / 256);
      const auto end = std::copy(best->begin(), best->end(),
                                 stored.begin() + static_cast<std::ptrdiff_t>(kHead));
      std::fill(end, stored.end(), std::uint8_t{0});
      return;
    }
  }

  void read(std::span<const std::uint8_t> stored, const ImageShape& shape,
            std::span<std::uint8_t> image) const override {
    const int halvings = stored[0];
    const std::size_t size = stored[1] + std::size_t{256} * stored[2];
    if (halvings > kMostHalvings || size > stored.size() - kHead) refuse();
    const std::uint8_t* const data = stored.data() + kHead;
    Raster picture{halved(shape.width, halvings), halved(shape.height, halvings), {}};
    int width = 0;
    int height = 0;
    if (WebPGetInfo(data, size, &width, &height) == 0 || width != picture.width ||
        height != picture.height)
      refuse();
    picture.pixels.resize(std::size_t{3} * static_cast<std::size_t>(width) *
                          static_cast<std::size_t>(height));
    if (WebPDecodeRGBInto(data, size, picture.pixels.data(), picture.pixels.size(), 3 * width) ==
        nullptr)
      refuse();
    auto out = image.begin();
    for (int channel = 0; channel < shape.channels; ++channel) {
      const int colour = shape.channels == 1 ? 1 : channel;  // grey: green, the most exact
      for (int y = 0; y < shape.height; ++y) {
        for (int x = 0; x < shape.width; ++x) {
          const int at = 3 * ((y >> halvings) * width + (x >> halvings)) + colour;
          *out++ = picture.pixels[static_cast<std::size_t>(at)];
        }
      }
    }
  }

  [[noreturn]] void refuse() const {
    throw DataError(fmt::format("a stored image is damaged: it is not one of codec {}", name()));
  }

  std::size_t bytes_;
};

}  // namespace

CodecEntry webp_entry() {
  std::vector<std::string> texts;
  for (const int size : kSizes) texts.push_back(fmt::format("webp:{}", size));
  return {{"webp", "(not in the paper)",
           "webp:N: WebP of at most N bytes an image, of the highest quality that fits, without "
           "loss if that fits. For photographs."},
          fmt::format("webp:N (N is 64, 96, 128, 192 and so on, up to {})", kSizes.back()),
          texts,
          [](const std::string& parameter) -> SharedCodec {
            return std::make_shared<WebpCodec>(read_number<int>(parameter).value);
          }};
}

}  // namespace gps
