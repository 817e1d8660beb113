#include "gps/memory/logits_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gps/core/rng.h"

namespace gps {
namespace logits_format_test {

std::vector<float> kept(LogitsFormat format, const std::vector<float>& logits) {
  std::vector<std::uint8_t> stored(logits_bytes(format, logits.size()));
  encode_logits(format, logits, stored);
  std::vector<float> decoded(logits.size());
  decode_logits(format, stored, decoded);
  return decoded;
}

std::vector<float> some_logits(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> logits(count);
  for (float& logit : logits) logit = static_cast<float>(40 * rng.uniform() - 20);
  return logits;
}

TEST(LogitsFormat, TakesTheBytesThatItSays) {
  EXPECT_EQ(logits_bytes(LogitsFormat::float32, 10), 40u);
  EXPECT_EQ(logits_bytes(LogitsFormat::float16, 10), 20u);
  EXPECT_EQ(logits_bytes(LogitsFormat::int8, 10), 18u);
  for (const LogitsFormat format :
       {LogitsFormat::float32, LogitsFormat::float16, LogitsFormat::int8})
    EXPECT_EQ(logits_bytes(format, 0), 0u);
}

TEST(LogitsFormat, Float32KeepsEveryBit) {
  const std::vector<float> logits = {0.1f, -1e-30f, 3e30f, 0};
  EXPECT_EQ(kept(LogitsFormat::float32, logits), logits);
}

TEST(LogitsFormat, Float16RoundsToTheNearestEven) {
  const float step = 0x1p-10f;  // between 1 and 2
  EXPECT_EQ(kept(LogitsFormat::float16, {1, -2.5f, 0, 65504, 0x1p-14f, 0x1p-24f}),
            (std::vector<float>{1, -2.5f, 0, 65504, 0x1p-14f, 0x1p-24f}))
      << "exact";
  EXPECT_EQ(kept(LogitsFormat::float16, {1 + 0.5f * step, 1 + 1.5f * step, 1 + 0.6f * step}),
            (std::vector<float>{1, 1 + 2 * step, 1 + step}));
  EXPECT_EQ(kept(LogitsFormat::float16, {1e9f, -1e9f}), (std::vector<float>{65504, -65504}));
  EXPECT_TRUE(std::isnan(kept(LogitsFormat::float16, {std::nanf("")})[0]));
}

TEST(LogitsFormat, Float16IsOffByAtMostTwoToTheMinusEleven) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<float> logits = some_logits(50, seed);
    const std::vector<float> decoded = kept(LogitsFormat::float16, logits);
    for (std::size_t k = 0; k < logits.size(); ++k)
      EXPECT_LE(std::abs(decoded[k] - logits[k]), std::abs(logits[k]) * 0x1p-11f + 0x1p-25f);
  }
}

TEST(LogitsFormat, Int8IsOffByAtMostHalfOfItsDistance) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<float> logits = some_logits(50, seed);
    const auto [least, most] = std::minmax_element(logits.begin(), logits.end());
    const float half = (*most - *least) / 510;
    const std::vector<float> decoded = kept(LogitsFormat::int8, logits);
    for (std::size_t k = 0; k < logits.size(); ++k)
      EXPECT_LE(std::abs(decoded[k] - logits[k]), half * 1.001f);  // and rounding of floats
    EXPECT_EQ(decoded[static_cast<std::size_t>(least - logits.begin())], *least);
  }
}

TEST(LogitsFormat, Int8KeepsLogitsThatAreAllTheSame) {
  EXPECT_EQ(kept(LogitsFormat::int8, {2.5f, 2.5f}), (std::vector<float>{2.5f, 2.5f}));
  EXPECT_EQ(kept(LogitsFormat::int8, {-1.0f}), std::vector<float>{-1.0f});
}

}  // namespace logits_format_test
}  // namespace gps
