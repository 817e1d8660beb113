#include "gps/data/images/png.h"

#include <gmock/gmock.h>

#include "gps/core/errors.h"
#include "gps/core/rng.h"
#include "support/png_file.h"

namespace gps {
namespace png_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::png_file;
using testing::PngOptions;
using Bytes = std::vector<std::uint8_t>;

std::span<const std::uint8_t> span_of(const std::string& file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

Bytes values(const std::string& file, int most_channels = 3) {
  return read_png(span_of(file), most_channels).values;
}

std::string error(const std::string& file) {
  try {
    read_png(span_of(file), 3);
  } catch (const DataError& refusal) {
    return refusal.what();
  }
  return "no error";
}

// Sets bytes of a chunk's data, and its checksum right again.
std::string with_sides(std::string file, std::uint32_t width, std::uint32_t height) {
  const auto put = [&](std::size_t at, std::uint32_t value) {
    for (int k = 0; k < 4; ++k)
      file[at + static_cast<std::size_t>(k)] = static_cast<char>(value >> (24 - 8 * k) & 0xFF);
  };
  put(16, width);
  put(20, height);
  std::uint32_t crc = 0xFFFFFFFFu;  // of the type and the data
  for (std::size_t at = 12; at < 29; ++at) {
    crc ^= static_cast<unsigned char>(file[at]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
  }
  put(29, ~crc);
  return file;
}

TEST(Png, OfGreyAndOfColourIsReadAsItIs) {
  const std::string grey = png_file(3, 2, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(read_png_header(span_of(grey)), (ImageHeader{3, 2, 1}));
  EXPECT_THAT(values(grey), ElementsAre(1, 2, 3, 4, 5, 6));
  const std::string colour =
      png_file(2, 1, {255, 0, 9, 1, 2, 3}, {.colour_type = PNG_COLOR_TYPE_RGB});
  EXPECT_EQ(read_png_header(span_of(colour)), (ImageHeader{2, 1, 3}));
  EXPECT_THAT(values(colour), ElementsAre(255, 0, 9, 1, 2, 3));
}

TEST(Png, OfColourBecomesGreyWhereOneChannelIsWanted) {
  // 0.299 * 255 = 76.245; 0.587 * 255 = 149.685; 0.114 * 255 = 29.07.
  const std::string file =
      png_file(3, 1, {255, 0, 0, 0, 255, 0, 0, 0, 255}, {.colour_type = PNG_COLOR_TYPE_RGB});
  EXPECT_THAT(values(file, 1), ElementsAre(76, 150, 29));
}

TEST(Png, OfFewBitsIsScaledToTheWholeRange) {
  EXPECT_THAT(values(png_file(3, 1, {0b10100000}, {.bit_depth = 1})), ElementsAre(255, 0, 255));
  EXPECT_THAT(values(png_file(4, 1, {0b00011011}, {.bit_depth = 2})), ElementsAre(0, 85, 170, 255));
  EXPECT_THAT(values(png_file(3, 1, {0x0F, 0x70}, {.bit_depth = 4})), ElementsAre(0, 255, 119));
}

TEST(Png, OfSixteenBitsIsScaledAndRounded) {
  // 65535 * 1 / 257 = 255; 257 -> 1; 384 / 257 = 1.49; 386 / 257 = 1.502.
  EXPECT_THAT(
      values(png_file(4, 1, {0xFF, 0xFF, 0x01, 0x01, 0x01, 0x80, 0x01, 0x82}, {.bit_depth = 16})),
      ElementsAre(255, 1, 1, 2));
  EXPECT_THAT(values(png_file(1, 1, {0x80, 0x00, 0x00, 0x00, 0xFF, 0xFF},
                              {.colour_type = PNG_COLOR_TYPE_RGB, .bit_depth = 16})),
              ElementsAre(128, 0, 255));
}

TEST(Png, WithAPaletteHasItsColours) {
  PngOptions options{.colour_type = PNG_COLOR_TYPE_PALETTE, .bit_depth = 2};
  options.palette = {{1, 2, 3}, {40, 50, 60}, {255, 255, 255}};
  const std::string file = png_file(3, 1, {0b01001000}, options);
  EXPECT_EQ(read_png_header(span_of(file)).channels, 3);
  EXPECT_THAT(values(file), ElementsAre(40, 50, 60, 1, 2, 3, 255, 255, 255));
  options.palette_alpha = {255, 0};  // the second is transparent
  EXPECT_THAT(values(png_file(3, 1, {0b01001000}, options)),
              ElementsAre(255, 255, 255, 1, 2, 3, 255, 255, 255));
}

TEST(Png, ThatIsTransparentLiesOverWhite) {
  // (100 * 51 + 255 * 204) / 255 = 224.
  EXPECT_THAT(values(png_file(3, 1, {100, 255, 100, 0, 100, 51},
                              {.colour_type = PNG_COLOR_TYPE_GRAY_ALPHA})),
              ElementsAre(100, 255, 224));
  EXPECT_THAT(values(png_file(2, 1, {10, 20, 30, 255, 10, 20, 30, 0},
                              {.colour_type = PNG_COLOR_TYPE_RGB_ALPHA})),
              ElementsAre(10, 20, 30, 255, 255, 255));
  EXPECT_THAT(
      values(png_file(2, 1, {0, 0, 0, 255, 0, 0, 0, 0}, {.colour_type = PNG_COLOR_TYPE_RGB_ALPHA}),
             1),
      ElementsAre(0, 255));
  EXPECT_THAT(values(png_file(3, 1, {7, 8, 9}, {.transparent_grey = 8})), ElementsAre(7, 255, 9));
}

TEST(Png, ThatIsInterlacedIsTheSameImage) {
  Bytes noise(13 * 11 * 3);
  Rng rng(1);
  for (auto& value : noise) value = static_cast<std::uint8_t>(rng.index(256));
  const PngOptions options{.colour_type = PNG_COLOR_TYPE_RGB, .is_interlaced = true};
  EXPECT_EQ(values(png_file(13, 11, noise, options)), noise);
}

TEST(Png, TruncatedAnywhereIsRefused) {
  const std::string whole = png_file(3, 2, {1, 2, 3, 4, 5, 6});
  for (std::size_t length = 0; length < whole.size(); ++length)
    ASSERT_THAT(error(whole.substr(0, length)), HasSubstr("is not an intact PNG")) << length;
}

TEST(Png, DamagedIsRefusedOrDecodedButNeverCrashes) {
  Bytes noise(20 * 20);
  Rng rng(1);
  for (auto& value : noise) value = static_cast<std::uint8_t>(rng.index(256));
  for (const bool is_interlaced : {false, true}) {
    const std::string whole = png_file(20, 20, noise, {.is_interlaced = is_interlaced});
    for (int trial = 0; trial < 1000; ++trial) {
      std::string damaged = whole;
      for (int k = 0; k < 3; ++k)
        damaged[rng.index(damaged.size())] = static_cast<char>(rng.index(256));
      error(damaged);
    }
  }
}

TEST(Png, ThatAnnouncesMoreThanItCanHoldIsRefusedBeforeRoomIsMade) {
  const std::string file = png_file(3, 2, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(error(with_sides(file, 60000, 60000)),
            "is 60000 x 60000 pixels; expected at most 67108864 in all");
  EXPECT_EQ(error(with_sides(file, 8000, 8000)),
            "is not an intact PNG image (the file ends early)");
  EXPECT_THAT(error(with_sides(file, 100000, 1)), HasSubstr("is not an intact PNG image"));
  EXPECT_THAT(error(with_sides(file, 0, 5)), HasSubstr("is not an intact PNG image"));
  EXPECT_THAT(error(with_sides(file, 4, 4)), HasSubstr("is not an intact PNG image"));
}

TEST(Png, MayHaveTextsOfAnySizeThatNobodyUnpacks) {
  PngOptions options;
  options.text = std::string(std::size_t{50} << 20, 'x');  // 50 kB packed
  EXPECT_THAT(values(png_file(2, 1, {3, 4}, options)), ElementsAre(3, 4));
}

}  // namespace png_test
}  // namespace gps
