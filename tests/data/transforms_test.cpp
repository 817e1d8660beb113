#include "gps/data/transforms.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gps/core/rng.h"

namespace gps {
namespace transforms_test {

using ::testing::Each;
using ::testing::ElementsAre;
using Bytes = std::vector<std::uint8_t>;

Bytes image(const Dataset& data, std::size_t i = 0) {
  Bytes scratch(data.shape().bytes());
  const std::uint8_t* bytes = data.image(i, scratch);
  return {bytes, bytes + scratch.size()};
}

Dataset one(ImageShape shape, const Bytes& bytes) { return {shape, bytes, {0}, 1}; }

// Two images of two channels, not square.
Dataset noise() {
  const ImageShape shape{2, 9, 7};
  Bytes bytes(2 * shape.bytes());
  Rng rng(3);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.index(256));
  return {shape, bytes, {1, 0}, 2};
}

double variance(const Bytes& bytes) {
  double mean = 0;
  double square = 0;
  for (const double byte : bytes) {
    mean += byte / static_cast<double>(bytes.size());
    square += byte * byte / static_cast<double>(bytes.size());
  }
  return square - mean * mean;
}

TEST(RandomPixelMap, IsAPermutationOfThePositionsOfOneChannel) {
  PixelMap map = random_pixel_map(ImageShape{3, 4, 5}, Rng(1));
  EXPECT_NE(map, random_pixel_map(ImageShape{3, 4, 5}, Rng(2)));
  std::sort(map.begin(), map.end());
  ASSERT_EQ(map.size(), 20u);
  for (std::uint32_t p = 0; p < 20; ++p) EXPECT_EQ(map[p], p);
}

TEST(Rotated, ByNothingIsTheSame) {
  const Dataset turned = rotated(noise(), 0);
  EXPECT_EQ(image(turned, 0), image(noise(), 0));
  EXPECT_EQ(image(turned, 1), image(noise(), 1));
}

TEST(Rotated, ByAWholeTurnIsTheSame) {
  for (const double degrees : {360.0, -360.0, 720.0}) {
    EXPECT_EQ(image(rotated(noise(), degrees), 1), image(noise(), 1)) << degrees;
  }
}

// Counter-clockwise, the right column becomes the top row.
TEST(Rotated, ByAQuarterTurnGoesCounterClockwise) {
  const Bytes square = {1, 2, 3,  //
                        4, 5, 6,  //
                        7, 8, 9};
  EXPECT_THAT(image(rotated(one({1, 3, 3}, square), 90)), ElementsAre(3, 6, 9,  //
                                                                      2, 5, 8,  //
                                                                      1, 4, 7));
  EXPECT_THAT(image(rotated(one({1, 3, 3}, square), -90)), ElementsAre(7, 4, 1,  //
                                                                       8, 5, 2,  //
                                                                       9, 6, 3));
}

// A 1 x 3 image turned by 90 degrees stands upright; only its centre is still inside.
TEST(Rotated, IsBlackWhereNothingComesFromInside) {
  EXPECT_THAT(image(rotated(one({1, 1, 3}, {200, 100, 50}), 90)), ElementsAre(0, 100, 0));
}

// By 45 degrees, the pixel right of the centre comes from sqrt(1/2) to the right of the centre and
// as far below it: the centre's share is (1 - sqrt(1/2))^2 = 0.0858, of 250 that is 21.4. The
// corners come from sqrt(2) away along an axis, where the centre has no share.
TEST(Rotated, WeighsTheFourPixelsAroundASource) {
  Bytes square(9, 0);
  square[4] = 250;
  EXPECT_THAT(image(rotated(one({1, 3, 3}, square), 45)), ElementsAre(0, 21, 0,     //
                                                                      21, 250, 21,  //
                                                                      0, 21, 0));
}

TEST(Rotated, ThereAndBackByQuartersIsTheSame) {
  Bytes bytes(72);
  Rng rng(5);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.index(256));
  const Dataset data = one({2, 6, 6}, bytes);
  EXPECT_NE(image(rotated(data, 90)), bytes);
  EXPECT_EQ(image(rotated(rotated(data, 90), -90)), bytes);
  EXPECT_EQ(image(rotated(rotated(data, 90), 90)), image(rotated(data, 180)));
}

TEST(Blurred, KeepsImagesOfOneColour) {
  for (const double sigma : {0.1, 1.0, 2.0, 100.0}) {
    EXPECT_THAT(image(blurred(one({1, 6, 5}, Bytes(30, 137)), sigma)), Each(137)) << sigma;
  }
}

// With sigma 1 the weights 1, e^(-1/2), e^(-2) over 1 + 2 e^(-1/2) + 2 e^(-2) = 2.483732 are
// 0.402620, 0.244201, 0.054489. A white centre of 255 becomes 255 times their products.
TEST(Blurred, SpreadsAPixelByTheGaussWeights) {
  Bytes bytes(49, 0);
  bytes[24] = 255;
  EXPECT_THAT(image(blurred(one({1, 7, 7}, bytes), 1)), ElementsAre(0, 0, 0, 0, 0, 0, 0,     //
                                                                    0, 1, 3, 6, 3, 1, 0,     //
                                                                    0, 3, 15, 25, 15, 3, 0,  //
                                                                    0, 6, 25, 41, 25, 6, 0,  //
                                                                    0, 3, 15, 25, 15, 3, 0,  //
                                                                    0, 1, 3, 6, 3, 1, 0,     //
                                                                    0, 0, 0, 0, 0, 0, 0));
}

// Reflected at both ends, 0 100 0 0 reads 0 100 | 0 100 0 0 | 0 100. So the first pixel has a 100
// on either side (2 * 24.42), the second itself and one two away (40.26 + 5.45), the third one
// beside it (24.42), the last one two away on either side (2 * 5.45).
TEST(Blurred, ReflectsTheBorder) {
  EXPECT_THAT(image(blurred(one({1, 1, 4}, {0, 100, 0, 0}), 1)), ElementsAre(49, 46, 24, 11));
}

TEST(Blurred, AlmostNothingIsTheSame) {
  EXPECT_EQ(image(blurred(noise(), 0.1), 1), image(noise(), 1));
}

TEST(Blurred, ReducesVarianceTheMoreTheWider) {
  const double before = variance(image(noise()));
  const double narrow = variance(image(blurred(noise(), 0.5)));
  const double wide = variance(image(blurred(noise(), 2)));
  EXPECT_LT(narrow, 0.8 * before);
  EXPECT_LT(wide, 0.8 * narrow);
}

TEST(Blurred, TreatsChannelsApart) {
  Bytes bytes(50, 0);
  std::fill_n(bytes.begin(), 25, std::uint8_t{90});
  const Bytes after = image(blurred(one({2, 5, 5}, bytes), 1));
  EXPECT_EQ(after, bytes);
}

TEST(Transforms, KeepLabelsAndIds) {
  const Dataset data = noise().subset(std::vector<std::uint32_t>{1, 0});
  for (const Dataset& made : {rotated(data, 30), blurred(data, 1)}) {
    EXPECT_EQ(made.id(0), 1u);
    EXPECT_EQ(made.label(0), 0);
    EXPECT_EQ(made.classes(), 2);
    EXPECT_EQ(made.shape(), data.shape());
  }
}

// Each channel of a colour image is changed as an image of its own would be.
TEST(Transforms, TreatTheChannelsOfAColourImageAlike) {
  const ImageShape shape{3, 8, 6};
  const std::size_t pixels = shape.pixels();
  Rng rng(5);
  Bytes bytes(shape.bytes());
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.index(256));
  const Dataset colour = one(shape, bytes);
  const PixelMap map = random_pixel_map(shape, Rng(6));
  for (std::size_t c = 0; c < 3; ++c) {
    const auto first = static_cast<std::ptrdiff_t>(c * pixels);
    const auto last = first + static_cast<std::ptrdiff_t>(pixels);
    const Dataset grey = one({1, 8, 6}, {bytes.begin() + first, bytes.begin() + last});
    const auto channel = [&](const Dataset& data) {
      const Bytes all = image(data);
      return Bytes(all.begin() + first, all.begin() + last);
    };
    EXPECT_EQ(channel(colour.rearranged(map)), image(grey.rearranged(map)));
    EXPECT_EQ(channel(rotated(colour, 30)), image(rotated(grey, 30)));
    EXPECT_EQ(channel(blurred(colour, 1.5)), image(blurred(grey, 1.5)));
  }
}

}  // namespace transforms_test
}  // namespace gps
