#include "gps/memory/codecs/range_coder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gps/core/rng.h"

namespace gps {
namespace range_coder_test {

using Bytes = std::vector<std::uint8_t>;

// Decisions of which one in `one_in` is yes.
std::vector<bool> decisions(std::size_t count, std::size_t one_in, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<bool> all;
  for (std::size_t k = 0; k < count; ++k) all.push_back(rng.index(one_in) == 0);
  return all;
}

// Returns the bytes up to the last that is not zero; empty if they do not fit.
Bytes written(const std::vector<bool>& all, std::size_t room = 10'000) {
  Bytes bytes(room);
  RangeWriter writer(bytes);
  Chance chance(1u << 15, 2);
  for (const bool yes : all) {
    writer.code(chance, yes);
    chance.learn(yes);
  }
  if (!writer.finish()) return {};
  while (!bytes.empty() && bytes.back() == 0) bytes.pop_back();
  return bytes;
}

std::vector<bool> read(const Bytes& bytes, std::size_t count) {
  RangeReader reader(bytes);
  Chance chance(1u << 15, 2);
  std::vector<bool> all;
  for (std::size_t k = 0; k < count; ++k) {
    all.push_back(reader.code(chance));
    chance.learn(all.back());
  }
  EXPECT_FALSE(reader.has_rest());
  return all;
}

TEST(RangeCoder, ReadsWhatItWrote) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto all = decisions(1 + seed * 3, 1 + seed % 9, seed);
    EXPECT_EQ(read(written(all), all.size()), all) << seed;
  }
}

TEST(RangeCoder, TakesLittleMoreThanTheEntropy) {
  for (const std::size_t one_in : {2U, 4U, 16U}) {
    const auto all = decisions(20'000, one_in, one_in);
    const double p = 1.0 / static_cast<double>(one_in);
    const double bytes = -(p * std::log2(p) + (1 - p) * std::log2(1 - p)) * 20'000 / 8;
    const auto taken = static_cast<double>(written(all).size());
    EXPECT_LT(taken, bytes * 1.03 + 8) << one_in;
    EXPECT_GT(taken, bytes * 0.97 - 8) << one_in;
  }
}

TEST(RangeCoder, TakesNoByteForWhatIsCertain) {
  EXPECT_LE(written(std::vector<bool>(10, true)).size(), 1u);
  EXPECT_LE(written(std::vector<bool>(10, false)).size(), 1u);
}

TEST(RangeCoder, FitsIntoAsManyBytesAsItTakesAndNoFewer) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto all = decisions(300, 3, seed);
    const Bytes bytes = written(all);
    EXPECT_EQ(written(all, bytes.size()), bytes);
    EXPECT_TRUE(written(all, bytes.size() - 1).empty());
  }
}

TEST(RangeCoder, ReadsAnyBytes) {
  Rng rng(4);
  for (int k = 0; k < 200; ++k) {
    Bytes bytes(rng.index(40));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng.index(256));
    RangeReader reader(bytes);
    Chance chance;
    for (int n = 0; n < 1000; ++n) chance.learn(reader.code(chance));
  }
}

TEST(RangeCoder, KnowsFirstBytesThatNobodyWrites) {
  EXPECT_FALSE(RangeReader(Bytes(8, 0xFF)).is_possible());
  EXPECT_TRUE(RangeReader(Bytes(8, 0)).is_possible());
  EXPECT_TRUE(RangeReader({}).is_possible());
}

TEST(Chance, BecomesTheShareOfYes) {
  Chance chance(1u << 15, 1);
  Rng rng(5);
  for (int k = 0; k < 3000; ++k) chance.learn(rng.index(4) == 0);
  EXPECT_NEAR(chance.parts() / 65536.0, 0.25, 0.1);
}

TEST(Chance, IsNeverCertain) {
  for (const bool yes : {false, true}) {
    Chance chance;
    for (int k = 0; k < 5000; ++k) chance.learn(yes);
    EXPECT_GE(chance.parts(), 1u);
    EXPECT_LT(chance.parts(), 1u << 16);
  }
}

}  // namespace range_coder_test
}  // namespace gps
