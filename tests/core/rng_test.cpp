#include "gps/core/rng.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <vector>

namespace gps {
namespace rng_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::uint32_t> first_words(Rng rng, std::size_t count = 8) {
  std::vector<std::uint32_t> words(count);
  for (auto& word : words) word = rng.next_u32();
  return words;
}

// The three vectors of Random123's kat_vectors for philox4x32 with ten rounds.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_THAT(philox4x32({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  const std::uint32_t ones = 0xffffffffu;
  EXPECT_THAT(philox4x32({ones, ones, ones, ones}, {ones, ones}),
              ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
  EXPECT_THAT(
      philox4x32({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}),
      ElementsAre(0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u));
}

TEST(Rng, SameSeedGivesTheSameStreamAndAnotherSeedAnother) {
  EXPECT_EQ(first_words(Rng(3)), first_words(Rng(3)));
  EXPECT_NE(first_words(Rng(3)), first_words(Rng(4)));
}

TEST(Rng, RefusesASavedPositionOutsideItsBlock) {
  Rng rng(1);
  rng.next_u32();
  Archive written;
  written(rng);
  const auto read = [](const std::string& bytes) {
    Archive archive(bytes);
    Rng found(2);
    archive(found);
    return found;
  };
  EXPECT_EQ(read(written.bytes()), rng);
  std::string bytes = written.bytes();
  constexpr std::size_t kUsed = 24;  // after key, stream and block
  bytes[kUsed] = 4;
  EXPECT_NO_THROW(read(bytes));
  bytes[kUsed] = 5;
  EXPECT_THROW(read(bytes), DataError);
}

TEST(Rng, ForkDoesNotDependOnHowFarTheParentWasRead) {
  Rng parent(5);
  const auto before = first_words(parent.fork("shuffle", 2));
  for (int draws = 0; draws < 7; ++draws) {
    parent.next_u32();
    EXPECT_EQ(first_words(parent.fork("shuffle", 2)), before) << "after " << draws + 1 << " draws";
  }
}

TEST(Rng, ForkDoesNotMoveTheParent) {
  Rng parent(5);
  parent.next_u32();
  const Rng before = parent;
  parent.fork("shuffle");
  EXPECT_EQ(parent, before);
}

TEST(Rng, EveryNameNumberAndOrderOfNumbersIsAStreamOfItsOwn) {
  const Rng rng(1);
  std::set<std::vector<std::uint32_t>> streams;
  const std::vector<Rng> forks = {
      rng,
      Rng(2).fork("a"),
      rng.fork(""),
      rng.fork("a"),
      rng.fork("b"),
      rng.fork("ab"),
      rng.fork("ba"),
      rng.fork("a").fork("b"),
      rng.fork("b").fork("a"),
      rng.fork("a").fork("a"),
      rng.fork("a", 0),
      rng.fork("a", 1),
      rng.fork("a", -1),
      rng.fork("a", 0, 0),
      rng.fork("a", 0, 1),
      rng.fork("a", 1, 0),
      rng.fork("a", std::uint64_t{1} << 32),
      rng.fork("b", 1),
  };
  for (const Rng& fork : forks) streams.insert(first_words(fork));
  EXPECT_EQ(streams.size(), forks.size());
}

TEST(Rng, IsAValue) {
  Rng original(9);
  original.next_u32();  // in the middle of a block
  Rng copy = original;
  EXPECT_EQ(copy, original);
  const auto expected = first_words(original);
  EXPECT_EQ(copy.next_u32(), expected.front());
  EXPECT_NE(copy, original);
  EXPECT_EQ(first_words(original), expected);
}

TEST(Rng, IndexBelowOneIsZero) {
  Rng rng(12);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.index(1), 0u);
}

TEST(Rng, PermutationHoldsEveryNumberOnce) {
  for (const std::size_t n : {0u, 1u, 2u, 5u, 784u}) {
    auto order = Rng(15).permutation(n);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), n);
    for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(order[i], i);
  }
  EXPECT_NE(Rng(15).permutation(784), Rng(16).permutation(784));
}

TEST(Rng, DistinctGivesDifferentNumbersBelowTheBound) {
  Rng rng(17);
  std::vector<std::uint32_t> out = {1, 2, 3};  // left over from a call before
  for (const std::size_t count : {0u, 1u, 10u, 50u}) {
    rng.distinct(count, 50, out);
    EXPECT_EQ(out.size(), count);
    const std::set<std::uint32_t> values(out.begin(), out.end());
    EXPECT_EQ(values.size(), count);
    for (const std::uint32_t value : out) EXPECT_LT(value, 50u);
  }
  rng.distinct(0, 0, out);
  EXPECT_THAT(out, IsEmpty());
}

// Floyd's algorithm as it is published: of the numbers below top + 1, the drawn one, or top itself
// if that one was drawn before.
std::vector<std::uint32_t> floyd(Rng& rng, std::size_t count, std::size_t n) {
  std::vector<std::uint32_t> drawn;
  std::set<std::uint32_t> known;
  for (std::size_t top = n - count; top < n; ++top) {
    auto number = static_cast<std::uint32_t>(rng.index(top + 1));
    if (known.contains(number)) number = static_cast<std::uint32_t>(top);
    known.insert(number);
    drawn.push_back(number);
  }
  return drawn;
}

TEST(Rng, DistinctIsFloydsAlgorithmForFewAndForMany) {
  std::vector<std::uint32_t> out;
  for (const std::size_t count : {1u, 63u, 64u, 65u, 66u, 500u, 999u, 1000u}) {
    Rng rng(19);
    Rng reference(19);
    for (int repeat = 0; repeat < 3; ++repeat) {
      rng.distinct(count, 1000, out);
      EXPECT_EQ(out, floyd(reference, count, 1000)) << count;
    }
    EXPECT_EQ(rng, reference) << "not as far in its stream after " << count;
  }
}

TEST(Rng, DistinctOfAllIsEveryNumberOnce) {
  std::vector<std::uint32_t> out;
  for (const std::size_t count : {64u, 65u, 2000u}) {
    Rng(20).distinct(count, count, out);
    std::sort(out.begin(), out.end());
    ASSERT_EQ(out.size(), count);
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(out[i], i);
  }
}

// Searching the list for each draw would take about 5e11 comparisons.
TEST(Rng, DistinctDrawsAMillionNumbers) {
  constexpr std::size_t kCount = 1000000;
  std::vector<std::uint32_t> out;
  Rng(21).distinct(kCount, 2 * kCount, out);
  ASSERT_EQ(out.size(), kCount);
  std::sort(out.begin(), out.end());
  EXPECT_LT(out.back(), 2 * kCount);
  EXPECT_EQ(std::adjacent_find(out.begin(), out.end()), out.end());
}

}  // namespace rng_test
}  // namespace gps
