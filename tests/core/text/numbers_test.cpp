#include "gps/core/text/numbers.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gps {
namespace numbers_test {

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number<int>("12"), 12);
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<double>("1e-3"), 1e-3);
  for (const char* text : {"", " 1", "1 ", "1x", "x", "+1", "1.0", "1,0", "0x1"})
    EXPECT_FALSE(parse_number<int>(text)) << text;
  EXPECT_FALSE(parse_number<unsigned>("-1"));
  EXPECT_FALSE(parse_number<double>("1,5"));
}

TEST(ParseNumber, RefusesWhatDoesNotFitItsType) {
  EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
  EXPECT_FALSE(parse_number<std::uint8_t>("256"));
  EXPECT_FALSE(parse_number<double>("1e999"));
}

TEST(ReadNumber, SaysHowFarTheNumberGoes) {
  const auto read = read_number<int>("100-199");
  EXPECT_EQ(read.value, 100);
  EXPECT_EQ(read.length, 3u);
  EXPECT_EQ(read_number<int>("x1").length, 0u);
  EXPECT_EQ(read_number<int>("").length, 0u);
}

TEST(ReadNumber, TellsWhatIsOutOfRangeFromWhatIsNoNumber) {
  EXPECT_TRUE(read_number<std::uint8_t>("1000").is_out_of_range);
  EXPECT_EQ(read_number<std::uint8_t>("1000").value, 0);
  EXPECT_FALSE(read_number<std::uint8_t>("ten").is_out_of_range);
}

TEST(WithoutExponent, SpellsAWholeNumberOut) {
  EXPECT_EQ(without_exponent("1e3"), "1000");
  EXPECT_EQ(without_exponent("2E0"), "2");
  EXPECT_EQ(without_exponent("1e+3"), "1000");
  EXPECT_EQ(without_exponent("1.50e1"), "15");
  EXPECT_EQ(without_exponent("-5e1"), "-50");
}

TEST(WithoutExponent, LeavesEverythingElseAsItIs) {
  for (const char* text : {"", "7", "1.5", "ten", "1e", "e3", "-e3", ".e3", "-.e3", "1e-3", "1.5e0",
                           "1.25e1", "1e999", "1e3x", "nonsense"})
    EXPECT_EQ(without_exponent(text), text);
}

}  // namespace numbers_test
}  // namespace gps
