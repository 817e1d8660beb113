#include "gps/data/images/gif.h"

#include <gmock/gmock.h>

#include "gps/core/errors.h"
#include "gps/core/rng.h"
#include "support/gif_file.h"

namespace gps {
namespace gif_test {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::gif_file;
using testing::GifOptions;
using ::testing::StartsWith;
using Bytes = std::vector<std::uint8_t>;

std::span<const std::uint8_t> span_of(const std::string& file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

Bytes values(const std::string& file, int most_channels = 3) {
  return read_gif(span_of(file), most_channels).values;
}

std::string error(const std::string& file) {
  try {
    read_gif(span_of(file), 3);
  } catch (const DataError& refusal) {
    return refusal.what();
  }
  return "no error";
}

// Four grey values, so that a pixel is one number.
GifOptions grey() {
  GifOptions options;
  options.palette = {{0, 0, 0}, {10, 10, 10}, {20, 20, 20}, {30, 30, 30}};
  return options;
}

TEST(Gif, IsReadInTheColoursOfItsPalette) {
  const std::string file = gif_file(2, 2, {0, 1, 2, 3});
  EXPECT_TRUE(is_gif(span_of(file)));
  EXPECT_EQ(read_gif_header(span_of(file)), (ImageHeader{2, 2, 3}));
  EXPECT_THAT(values(file), ElementsAre(255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30));
  EXPECT_THAT(values(gif_file(2, 1, {0, 0}), 1), ElementsAre(76, 76));
}

TEST(Gif, OfGreyColoursIsGrey) {
  const std::string file = gif_file(3, 1, {1, 3, 2}, grey());
  EXPECT_EQ(read_gif_header(span_of(file)), (ImageHeader{3, 1, 1}));
  EXPECT_THAT(values(file), ElementsAre(10, 30, 20));
}

TEST(Gif, ThatIsTransparentIsSeenOverWhite) {
  GifOptions options = grey();
  options.transparent = 2;
  EXPECT_THAT(values(gif_file(3, 1, {1, 2, 3}, options)), ElementsAre(10, 255, 30));
}

TEST(Gif, UsesThePaletteOfItsFrame) {
  GifOptions options;
  options.has_own_palette = true;
  EXPECT_THAT(values(gif_file(2, 1, {1, 3}, options)), ElementsAre(0, 255, 0, 10, 20, 30));
}

TEST(Gif, ThatIsInterlacedIsReadInTheOrderOfItsRows) {
  GifOptions options = grey();
  options.is_interlaced = true;
  const Bytes rows = {0, 1, 2, 3, 3, 2, 1, 0, 1, 1, 2};
  Bytes expected;
  for (const std::uint8_t index : rows) expected.push_back(static_cast<std::uint8_t>(index * 10));
  EXPECT_EQ(values(gif_file(1, 11, rows, options)), expected);
}

TEST(Gif, IsItsFirstFrame) {
  GifOptions options = grey();
  options.frames = 3;
  const std::string file = gif_file(2, 1, {3, 1}, options);
  EXPECT_THAT(values(file), ElementsAre(30, 10));
  EXPECT_THAT(values(file.substr(0, file.size() - 5)), ElementsAre(30, 10));
}

TEST(Gif, HasItsFrameInItsPlaceOnAWhiteScreen) {
  GifOptions options = grey();
  options.left = 1;
  options.top = 1;
  options.screen_width = 3;
  options.screen_height = 2;
  const std::string file = gif_file(2, 1, {1, 2}, options);
  EXPECT_EQ(read_gif_header(span_of(file)), (ImageHeader{3, 2, 1}));
  EXPECT_THAT(values(file), ElementsAre(255, 255, 255, 255, 10, 20));
}

TEST(Gif, WhoseFrameDoesNotFitIsTheFrameAlone) {
  GifOptions options = grey();
  options.left = 2;
  options.screen_width = 3;
  const std::string file = gif_file(2, 1, {1, 2}, options);
  EXPECT_EQ(read_gif_header(span_of(file)), (ImageHeader{2, 1, 1}));
  EXPECT_THAT(values(file), ElementsAre(10, 20));
}

TEST(Gif, WithNothingInItIsRead) {
  EXPECT_THAT(values(gif_file(1000, 1000, Bytes(1'000'000, 2), grey())), Each(20));
}

TEST(Gif, OfTooManyPixelsForItsSizeIsRefused) {
  std::string file = gif_file(2, 1, {1, 2}, grey());
  file.replace(6, 4, "\xF0\xF0\xF0\xF0");
  EXPECT_EQ(error(file), "is 61680 x 61680 pixels; expected at most 67108864 in all");
  file.replace(6, 4, std::string("\0\x10\0\x10", 4));  // 4096 x 4096
  EXPECT_EQ(error(file), "is not an intact GIF image (the file ends early)");
}

TEST(Gif, TruncatedBeforeTheEndOfItsFrameIsRefused) {
  const std::string whole = gif_file(4, 3, {0, 1, 2, 3, 3, 2, 1, 0, 1, 1, 2, 2});
  for (std::size_t length = 0; length + 2 < whole.size(); ++length)
    ASSERT_THAT(error(whole.substr(0, length)), StartsWith("is not an intact GIF image ("))
        << length << " of " << whole.size();
}

TEST(Gif, WithoutAFrameIsRefused) {
  const std::string file = gif_file(2, 1, {1, 2}, grey());
  const std::size_t extension = file.find('!');  // what follows the palette
  ASSERT_NE(extension, std::string::npos);
  EXPECT_EQ(error(file.substr(0, extension) + ";"), "is not an intact GIF image (it has no frame)");
}

TEST(Gif, DamagedIsRefusedOrDecoded) {
  const std::string whole = gif_file(4, 3, {0, 1, 2, 3, 3, 2, 1, 0, 1, 1, 2, 2});
  Rng rng(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string damaged = whole;
    for (int k = 0; k < 3; ++k)
      damaged[rng.index(damaged.size())] = static_cast<char>(rng.index(256));
    const std::string message = error(damaged);
    EXPECT_TRUE(message == "no error" || message.starts_with("is ")) << message;
  }
}

}  // namespace gif_test
}  // namespace gps
