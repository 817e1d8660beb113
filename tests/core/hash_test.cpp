#include "gps/core/hash.h"

#include <gmock/gmock.h>

#include <set>
#include <vector>

namespace gps {
namespace hash_test {

TEST(Hash, ChangesWithEveryBitAndWithTheLength) {
  std::vector<std::uint8_t> bytes(100, 0);
  std::set<std::uint64_t> seen = {hash64(bytes)};
  for (std::size_t bit = 0; bit < 800; ++bit) {
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1u << (bit % 8)));
    EXPECT_TRUE(seen.insert(hash64(bytes)).second) << bit;
    bytes[bit / 8] = 0;
  }
  for (std::size_t length = 0; length < 100; ++length)
    EXPECT_TRUE(seen.insert(hash64(std::span(bytes).first(length))).second) << length;
}

TEST(Hash, ChangesWhenTwoWordsChangePlaces) {
  std::vector<std::uint8_t> bytes(96);
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::uint8_t>(k);
  const std::uint64_t before = hash64(bytes);
  for (std::size_t word = 1; word < 12; ++word) {
    std::vector<std::uint8_t> swapped = bytes;
    std::swap_ranges(swapped.begin(), swapped.begin() + 8,
                     swapped.begin() + static_cast<std::ptrdiff_t>(8 * word));
    EXPECT_NE(hash64(swapped), before) << word;
  }
}

TEST(Hash, OfATextIsThatOfItsBytes) {
  const std::vector<std::uint8_t> bytes = {'a', 'b', 'c'};
  EXPECT_EQ(hash64(std::string_view("abc")), hash64(bytes));
}

// The published values for "" and "a", with 64 and with 32 bits.
TEST(Fnv1a, HasItsPublishedValues) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a_32(""), 0x811c9dc5u);
  EXPECT_EQ(fnv1a_32("a"), 0xe40c292cu);
}

TEST(Fnv1a, GoesOnFromThePartBefore) {
  EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar"));
  EXPECT_EQ(fnv1a_step(kFnvStart, 'a'), fnv1a("a"));
  EXPECT_EQ(fnv1a("\xff"), fnv1a_step(kFnvStart, 255)) << "bytes have no sign";
}

}  // namespace hash_test
}  // namespace gps
