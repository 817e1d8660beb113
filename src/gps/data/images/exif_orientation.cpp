#include "gps/data/images/exif_orientation.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string_view>
#include <utility>

namespace gps {
namespace {

using ByteSpan = std::span<const std::uint8_t>;

// Returns the number in `length` bytes, or none if they are not all there.
std::optional<std::size_t> number_at(ByteSpan bytes, std::size_t at, std::size_t length,
                                     bool is_little_endian) {
  if (at > bytes.size() || bytes.size() - at < length) return std::nullopt;
  std::size_t value = 0;
  for (std::size_t k = 0; k < length; ++k)
    value = value << 8 | bytes[at + (is_little_endian ? length - 1 - k : k)];
  return value;
}

bool begins_with(ByteSpan bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin(),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

// Returns the orientation in the first directory of a TIFF structure, or none.
std::optional<std::size_t> orientation_in_tiff(ByteSpan tiff) {
  constexpr std::size_t kOrientation = 0x0112;
  constexpr std::size_t kShort = 3;
  constexpr std::size_t kLong = 4;
  constexpr std::size_t kEntryBytes = 12;
  const bool is_little_endian = begins_with(tiff, "II");
  if (!is_little_endian && !begins_with(tiff, "MM")) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t length) {
    return number_at(tiff, at, length, is_little_endian);
  };
  const auto directory = number(4, 4);
  if (number(2, 2) != 42u || !directory) return std::nullopt;
  const std::size_t entries = number(*directory, 2).value_or(0);
  for (std::size_t k = 0; k < entries; ++k) {
    const std::size_t entry = *directory + 2 + k * kEntryBytes;
    const auto tag = number(entry, 2);
    if (!tag) return std::nullopt;
    if (*tag != kOrientation) continue;
    const auto type = number(entry + 2, 2);
    if (!type || (*type != kShort && *type != kLong)) return std::nullopt;
    return number(entry + 8, *type == kShort ? 2 : 4);
  }
  return std::nullopt;
}

// Returns what follows the name of the first EXIF block before the pixels; empty if there is none.
ByteSpan exif_block(ByteSpan file) {
  constexpr std::string_view kName("Exif\0\0", 6);
  std::size_t at = 2;  // after the marker that begins every file
  while (number_at(file, at, 2, false).value_or(0) >> 8 == 0xFF) {
    const std::uint8_t marker = file[at + 1];
    if (marker == 0xFF) {  // padding
      ++at;
      continue;
    }
    if (marker == 0xDA || marker == 0xD9) break;  // the pixels, or the end
    const std::size_t length = number_at(file, at + 2, 2, false).value_or(0);
    if (length < 2 || file.size() - at - 2 < length) break;
    const ByteSpan content = file.subspan(at + 4, length - 2);
    if (marker == 0xE1 && begins_with(content, kName)) return content.subspan(kName.size());
    at += 2 + length;
  }
  return {};
}

bool swaps_sides(int orientation) { return orientation >= 5; }

}  // namespace

int exif_orientation(std::span<const std::uint8_t> file) {
  const std::size_t found = orientation_in_tiff(exif_block(file)).value_or(1);
  return found >= 1 && found <= 8 ? static_cast<int>(found) : 1;
}

Pixels turned_upright(Pixels image, int orientation) {
  assert(orientation >= 1 && orientation <= 8);
  if (orientation == 1) return image;
  const bool is_turned = swaps_sides(orientation);
  const bool is_from_right =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool is_from_below =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const auto width = static_cast<std::size_t>(image.width);
  const auto height = static_cast<std::size_t>(image.height);
  const auto channels = static_cast<std::size_t>(image.channels);
  Pixels upright{is_turned ? image.height : image.width, is_turned ? image.width : image.height,
                 image.channels, std::vector<std::uint8_t>(image.values.size())};
  std::uint8_t* out = upright.values.data();
  for (std::size_t y = 0; y < static_cast<std::size_t>(upright.height); ++y) {
    for (std::size_t x = 0; x < static_cast<std::size_t>(upright.width); ++x) {
      const std::size_t across = is_turned ? y : x;
      const std::size_t down = is_turned ? x : y;
      const std::size_t column = is_from_right ? width - 1 - across : across;
      const std::size_t row = is_from_below ? height - 1 - down : down;
      out = std::copy_n(image.values.data() + (row * width + column) * channels, channels, out);
    }
  }
  return upright;
}

ImageHeader turned_upright(ImageHeader header, int orientation) {
  if (swaps_sides(orientation)) std::swap(header.width, header.height);
  return header;
}

}  // namespace gps
