#include "gps/data/images/webp.h"

#include <fmt/format.h>
#include <webp/decode.h>

#include <algorithm>
#include <new>
#include <string_view>

#include "gps/core/errors.h"
#include "gps/data/images/channels.h"

namespace gps {
namespace {

constexpr std::size_t kRiffHead = 8;  // "RIFF" and the number of bytes that follow

bool has_at(std::span<const std::uint8_t> file, std::size_t at, std::string_view text) {
  return file.size() >= at + text.size() &&
         std::equal(text.begin(), text.end(), file.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

// Throws unless all is well.
void check_status(VP8StatusCode status) {
  const auto refuse_webp = [](const char* reason) {
    throw DataError(fmt::format("is not an intact WebP image ({})", reason));
  };
  switch (status) {
    case VP8_STATUS_OK:
      break;
    case VP8_STATUS_OUT_OF_MEMORY:
      throw std::bad_alloc();
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      refuse_webp("the file ends early");
      break;
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      refuse_webp("it has a feature that is not known");
      break;
    default:
      refuse_webp("its data is damaged");
      break;
  }
}

WebPBitstreamFeatures features_of(std::span<const std::uint8_t> file) {
  if (!is_webp(file)) check_status(VP8_STATUS_BITSTREAM_ERROR);
  WebPBitstreamFeatures features{};
  check_status(WebPGetFeatures(file.data(), file.size(), &features));
  if (features.has_animation != 0)
    throw DataError("is an animated WebP image; expected a still one");
  // The decoder does not notice if only the last bytes are missing.
  std::size_t announced = 0;
  for (std::size_t k = 0; k < 4; ++k) announced |= std::size_t{file[4 + k]} << 8 * k;
  if (file.size() - kRiffHead < announced) check_status(VP8_STATUS_NOT_ENOUGH_DATA);
  return features;
}

}  // namespace

bool is_webp(std::span<const std::uint8_t> file) {
  return has_at(file, 0, "RIFF") && has_at(file, kRiffHead, "WEBP");
}

ImageHeader read_webp_header(std::span<const std::uint8_t> file) {
  const WebPBitstreamFeatures features = features_of(file);
  return {features.width, features.height, 3};
}

Pixels read_webp(std::span<const std::uint8_t> file, int most_channels) {
  const WebPBitstreamFeatures features = features_of(file);
  const std::size_t pixels =
      static_cast<std::size_t>(features.width) * static_cast<std::size_t>(features.height);
  if (pixels > kMostPixels) {
    throw DataError(fmt::format("is {} x {} pixels; expected at most {} in all", features.width,
                                features.height, kMostPixels));
  }
  const bool has_alpha = features.has_alpha != 0;
  const int channels = has_alpha ? 4 : 3;
  Pixels image{features.width, features.height, std::min(most_channels, 3), {}};
  image.values.resize(pixels * static_cast<std::size_t>(channels));
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0)
    throw DataError("cannot be decoded: this libwebp is of another version");
  config.output.colorspace = has_alpha ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = image.values.data();
  config.output.u.RGBA.stride = features.width * channels;
  config.output.u.RGBA.size = image.values.size();
  const VP8StatusCode status = WebPDecode(file.data(), file.size(), &config);
  WebPFreeDecBuffer(&config.output);
  check_status(status);
  reduce_channels(image.values, static_cast<std::size_t>(channels),
                  static_cast<std::size_t>(image.channels));
  return image;
}

}  // namespace gps
