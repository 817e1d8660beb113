#include "gps/data/features.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "gps/core/half_float.h"
#include "gps/core/rng.h"
#include "gps/data/transforms.h"

namespace gps {
namespace features_test {

using ::testing::ElementsAre;
using ::testing::FloatNear;

std::vector<float> read(const std::vector<std::uint8_t>& row, float mean = 0, float deviation = 1) {
  std::vector<float> values(row.size() / 2);
  read_features(row.data(), mean, deviation, values);
  return values;
}

std::vector<std::uint8_t> written(const std::vector<float>& values) {
  std::vector<std::uint8_t> row(2 * values.size());
  EXPECT_TRUE(write_features(values, row));
  return row;
}

TEST(HalfFloat, IsReadAsItWasWritten) {
  for (std::uint32_t bits = 0; bits <= 0xFFFFu; ++bits) {
    if ((bits & 0x7C00u) == 0x7C00u) continue;  // not finite
    const float value = from_half(static_cast<std::uint16_t>(bits));
    EXPECT_EQ(to_half(value), bits);
    EXPECT_EQ(from_finite_half(bits), value);
    EXPECT_EQ(std::signbit(from_finite_half(bits)), std::signbit(value));
  }
}

TEST(Features, AreRoundedTo16Bits) {
  EXPECT_THAT(read(written({0, 1, -0.25f, 65504, 1 + 0x1p-11f, 1 + 3 * 0x1p-11f})),
              ElementsAre(0, 1, -0.25f, 65504, 1, 1 + 0x1p-9f));
}

TEST(Features, AreNormalisedWhenTheyAreRead) {
  EXPECT_THAT(read(written({3, 1}), /*mean=*/2, /*deviation=*/4), ElementsAre(0.25f, -0.25f));
}

TEST(Features, OfEqualValueAreEqualBytes) { EXPECT_EQ(written({-0.0f, 1}), written({0, 1})); }

TEST(Features, ThatAreNotFiniteOrTooLargeAreRefused) {
  std::vector<std::uint8_t> row(2);
  for (const float value : {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(), 70000.0f, -70000.0f})
    EXPECT_FALSE(write_features(std::vector<float>{value}, row)) << value;
}

TEST(Features, AreNoImages) {
  EXPECT_TRUE(are_features(feature_shape(512)));
  EXPECT_EQ(feature_shape(512).bytes(), 1024u);
  EXPECT_EQ(feature_shape(512).pixels(), 512u);
  EXPECT_FALSE(are_features({1, 28, 28}));
  EXPECT_FALSE(are_features({3, 1, 28}));
}

TEST(Features, ArePermutedAsWholeValues) {
  const std::vector<float> values = {1.5f, -2, 0, 1000, 0.001f, 7, 8, 9, 10, 11.25f};
  const Dataset data(feature_shape(values.size()), written(values), {0}, 1);
  const PixelMap map = random_pixel_map(data.shape(), Rng(3));
  const Dataset permuted = data.rearranged(map);
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  std::vector<float> found(values.size());
  read_features(permuted.image(0, scratch), 0, 1, found);
  const std::vector<float> stored = read(written(values));
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_EQ(found[map[k]], stored[k]) << k;
}

// Two rows of four values: the mean is 3, the variance 5. The deviation √5 · √(4/100) makes the
// squared norm of a row 4 · 5 / (5 · 4/100) = 100 on average.
TEST(Features, AreAsLongAsImagesOfDigits) {
  std::vector<std::uint8_t> rows = written({0, 2, 4, 6});
  const std::vector<std::uint8_t> second = written({6, 4, 2, 0});
  rows.insert(rows.end(), second.begin(), second.end());
  const Normalisation found = feature_normalisation({feature_shape(4), rows, {0, 1}, 2});
  EXPECT_THAT(found.mean, ElementsAre(3));
  EXPECT_THAT(found.deviation, ElementsAre(FloatNear(std::sqrt(0.2f), 1e-6f)));
}

TEST(Features, ThatAreAllTheSameHaveADeviationAllTheSame) {
  const Normalisation found = feature_normalisation({feature_shape(2), written({5, 5}), {0}, 1});
  EXPECT_THAT(found.mean, ElementsAre(5));
  EXPECT_GT(found.deviation.front(), 0);
}

}  // namespace features_test
}  // namespace gps
