#include "gps/data/images/resize.h"

#include <gmock/gmock.h>

#include "gps/core/rng.h"

namespace gps {
namespace resize_test {

using ::testing::Each;
using ::testing::ElementsAre;
using Bytes = std::vector<std::uint8_t>;

Bytes resized(const Pixels& image, int height, int width) {
  const ImageShape shape{image.channels, height, width};
  Bytes out(shape.bytes(), 77);
  resize(image, shape, out);
  return out;
}

TEST(Resize, ToTheSameSizeOnlySeparatesChannels) {
  EXPECT_THAT(resized({2, 1, 3, {1, 2, 3, 4, 5, 6}}, 1, 2), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(resized({2, 2, 1, {1, 2, 3, 4}}, 2, 2), ElementsAre(1, 2, 3, 4));
}

TEST(Resize, ToHalfTheSizeIsTheMeanOfFour) {
  // (10 + 20 + 50 + 61) / 4 = 35.25 and (30 + 40 + 71 + 81) / 4 = 55.5, which goes up.
  EXPECT_THAT(resized({4, 2, 1, {10, 20, 30, 40, 50, 61, 71, 81}}, 1, 2), ElementsAre(35, 56));
}

TEST(Resize, CountsPixelsThatAreCoveredInPart) {
  // Three to two: the first is (2 * 0 + 1 * 90) / 3, the second (1 * 90 + 2 * 240) / 3.
  EXPECT_THAT(resized({3, 1, 1, {0, 90, 240}}, 1, 2), ElementsAre(30, 190));
  // Five to three: weights 3 2, 1 3 1, 2 3 of 5.
  EXPECT_THAT(resized({1, 5, 1, {0, 10, 20, 30, 40}}, 3, 1), ElementsAre(4, 20, 36));
}

TEST(Resize, EnlargesByTheCentresOfPixels) {
  // Centres of four lie at -1/4, 1/4, 3/4 and 5/4 of two; those outside are at the edge.
  EXPECT_THAT(resized({2, 1, 1, {0, 100}}, 1, 4), ElementsAre(0, 25, 75, 100));
  // Two to three: at -1/6, 1/2 and 7/6.
  EXPECT_THAT(resized({1, 2, 1, {10, 31}}, 3, 1), ElementsAre(10, 21, 31));
  EXPECT_THAT(resized({1, 1, 1, {9}}, 2, 3), Each(9));
}

TEST(Resize, MayShrinkOneSideAndEnlargeTheOther) {
  // Down: the means of two, 10 and 50; across: between them.
  EXPECT_THAT(resized({2, 2, 1, {0, 40, 20, 60}}, 1, 4), ElementsAre(10, 20, 40, 50));
}

TEST(Resize, TreatsChannelsAlike) {
  const Bytes out = resized({2, 2, 3, {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14}}, 1, 1);
  EXPECT_THAT(out, ElementsAre(6, 7, 8));
  Bytes repeated(6);
  resize({1, 2, 1, {4, 8}}, {3, 2, 1}, repeated);
  EXPECT_THAT(repeated, ElementsAre(4, 8, 4, 8, 4, 8));
}

TEST(Resize, KeepsAPlainImagePlainAndTheMeanNearlyTheSame) {
  Rng rng(1);
  for (int trial = 0; trial < 200; ++trial) {
    const auto side = [&] { return 1 + static_cast<int>(rng.index(40)); };
    const int width = side();
    const int height = side();
    const auto pixels = static_cast<std::size_t>(width * height);
    EXPECT_THAT(resized({width, height, 1, Bytes(pixels, 201)}, side(), side()), Each(201));
    Bytes noise(pixels);
    for (auto& value : noise) value = static_cast<std::uint8_t>(rng.index(256));
    // One pixel is the mean of all.
    std::size_t sum = 0;
    for (const auto value : noise) sum += value;
    EXPECT_THAT(resized({width, height, 1, noise}, 1, 1),
                ElementsAre((2 * sum + pixels) / (2 * pixels)));
  }
}

}  // namespace resize_test
}  // namespace gps
