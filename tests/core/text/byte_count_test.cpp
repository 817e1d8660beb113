#include "gps/core/text/byte_count.h"

#include <gtest/gtest.h>

namespace gps {
namespace byte_count_test {

std::uint64_t bytes_in(std::string_view text) {
  const auto count = parse_byte_count(text);
  EXPECT_TRUE(count.has_value()) << text;
  return count.value_or(ByteCount{}).bytes;
}

TEST(ByteCount, HasDecimalAndBinaryUnits) {
  EXPECT_EQ(bytes_in("98B"), 98u);
  EXPECT_EQ(bytes_in("784kB"), 784'000u);
  EXPECT_EQ(bytes_in("20MB"), 20'000'000u);
  EXPECT_EQ(bytes_in("1GB"), 1'000'000'000u);
  EXPECT_EQ(bytes_in("1kiB"), 1024u);
  EXPECT_EQ(bytes_in("64MiB"), 67'108'864u);
  EXPECT_EQ(bytes_in("2GiB"), 2'147'483'648u);
  EXPECT_EQ(bytes_in("1.5MB"), 1'500'000u);
  EXPECT_EQ(bytes_in("0.1kB"), 100u);
  EXPECT_EQ(bytes_in("0B"), 0u);
}

TEST(ByteCount, IsNothingElse) {
  for (const char* text : {"", "784", "kB", "784 kB", "784kb", "784KB", "784K", "784m", "-1kB",
                           "nankB", "infGB", "1e9GB", "1kBx", "+1kB", "1,5MB"}) {
    EXPECT_FALSE(parse_byte_count(text)) << text;
  }
}

TEST(ByteCount, IsWrittenWithTheLargestUnitThatDividesIt) {
  EXPECT_EQ(text_of(ByteCount{0}), "0B");
  EXPECT_EQ(text_of(ByteCount{98}), "98B");
  EXPECT_EQ(text_of(ByteCount{784'000}), "784kB");
  EXPECT_EQ(text_of(ByteCount{1'500'000}), "1500kB");
  EXPECT_EQ(text_of(ByteCount{2'000'000'000}), "2GB");
  EXPECT_EQ(text_of(ByteCount{1024}), "1kiB");
  EXPECT_EQ(text_of(ByteCount{1 << 20}), "1MiB");
  EXPECT_EQ(text_of(ByteCount{1'024'000}), "1024kB") << "both would do";
}

TEST(ByteCount, IsReadBackFromItsText) {
  for (const std::uint64_t bytes :
       {1ull, 999ull, 1000ull, 1024ull, 123'456ull, 784'000ull, 1'048'576ull, 1'000'000'000'000ull})
    EXPECT_EQ(bytes_in(text_of(ByteCount{bytes})), bytes);
}

}  // namespace byte_count_test
}  // namespace gps
