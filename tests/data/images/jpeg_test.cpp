#include "gps/data/images/jpeg.h"

#include <gmock/gmock.h>

#include "gps/core/errors.h"
#include "gps/core/rng.h"
#include "support/jpeg_file.h"

namespace gps {
namespace jpeg_test {

using ::testing::HasSubstr;
using testing::jpeg_file;
using Bytes = std::vector<std::uint8_t>;

constexpr ImageShape kShape{3, 64, 64};

Bytes decode(const std::string& file, const ImageShape& shape = kShape) {
  Bytes out(shape.bytes(), 7);
  decode_jpeg({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}, "x.JPEG", shape,
              out);
  return out;
}

std::string error(const std::string& file) {
  try {
    decode(file);
  } catch (const DataError& refusal) {
    return refusal.what();
  }
  return "no error";
}

// JPEG loses a little.
void expect_planes(const Bytes& image, const std::vector<int>& values) {
  const std::size_t pixels = kShape.pixels();
  ASSERT_EQ(image.size(), values.size() * pixels);
  for (std::size_t k = 0; k < image.size(); ++k)
    ASSERT_NEAR(image[k], values[k / pixels], 3) << "byte " << k;
}

TEST(Jpeg, IsDecodedChannelByChannel) {
  expect_planes(decode(jpeg_file({10, 120, 240})), {10, 120, 240});
  expect_planes(decode(jpeg_file({250, 20, 90}, 64, 64, /*is_progressive=*/true)), {250, 20, 90});
}

TEST(Jpeg, OfOneChannelIsRepeatedInAll) {
  expect_planes(decode(jpeg_file({77})), {77, 77, 77});
  expect_planes(decode(jpeg_file({77}), {1, 64, 64}), {77});
}

TEST(Jpeg, OfOtherSidesIsRefused) {
  EXPECT_EQ(error(jpeg_file({1, 2, 3}, 64, 63)), "x.JPEG: is 64 x 63 pixels; expected 64 x 64");
  EXPECT_EQ(error(jpeg_file({1}, 500, 375)), "x.JPEG: is 500 x 375 pixels; expected 64 x 64");
}

TEST(Jpeg, OfOtherChannelsIsRefused) {
  EXPECT_EQ(error(jpeg_file({1, 2, 3, 4})), "x.JPEG: has 4 channels; expected 1 or 3");
}

// The mean of each channel.
std::vector<int> colour_of(const std::string& file, int most_channels = 3) {
  const Pixels image =
      read_jpeg({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}, most_channels);
  std::vector<int> means(static_cast<std::size_t>(image.channels));
  for (std::size_t k = 0; k < image.values.size(); ++k) means[k % means.size()] += image.values[k];
  for (int& mean : means) mean /= image.width * image.height;
  return means;
}

void expect_near(const std::vector<int>& found, const std::vector<int>& values) {
  ASSERT_EQ(found.size(), values.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], values[k], 3) << k;
}

TEST(Jpeg, ForPrintingWithAdobesMarkerIsInvertedAndBecomesColour) {
  // What is left of the light: 200 x 255 / 255, and so on; then half of that.
  expect_near(colour_of(jpeg_file({200, 100, 50, 255})), {200, 100, 50});
  expect_near(colour_of(jpeg_file({200, 100, 50, 128})), {100, 50, 25});
  expect_near(colour_of(jpeg_file({200, 100, 50, 255}), 1),
              {124});  // (59800 + 58700 + 5700) / 1000
}

TEST(Jpeg, ForPrintingAsYcckBecomesColour) {
  expect_near(colour_of(jpeg_file({200, 100, 50, 255}, 16, 16, false, /*is_ycck=*/true)),
              {200, 100, 50});
}

TEST(Jpeg, ForPrintingWithoutAMarkerHasInkForValues) {
  std::string file = jpeg_file({55, 155, 205, 0});
  const std::size_t marker = file.find("\xFF\xEE");
  ASSERT_NE(marker, std::string::npos);
  file.erase(marker, 16);  // the marker, its length, and twelve bytes
  expect_near(colour_of(file), {200, 100, 50});
}

TEST(Jpeg, ThatIsNoneIsRefused) {
  EXPECT_THAT(error("this is a text"), HasSubstr("x.JPEG: is not an intact JPEG image"));
  EXPECT_THAT(error(""), HasSubstr("x.JPEG: is not an intact JPEG image"));
}

TEST(Jpeg, TruncatedAnywhereIsRefused) {
  const std::string whole = jpeg_file({10, 120, 240});
  for (std::size_t length = 0; length + 2 < whole.size(); ++length)
    ASSERT_NE(error(whole.substr(0, length)), "no error") << length << " of " << whole.size();
}

TEST(Jpeg, DamagedIsRefusedOrDecodedButNeverWrittenBeyondItsPlace) {
  const std::string whole = jpeg_file({10, 120, 240});
  Rng rng(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string damaged = whole;
    for (int k = 0; k < 3; ++k)
      damaged[rng.index(damaged.size())] = static_cast<char>(rng.index(256));
    const std::string message = error(damaged);
    EXPECT_TRUE(message == "no error" || message.starts_with("x.JPEG: ")) << message;
  }
}

}  // namespace jpeg_test
}  // namespace gps
