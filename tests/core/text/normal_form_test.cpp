#include "gps/core/text/normal_form.h"

#include <gtest/gtest.h>

namespace gps {
namespace normal_form_test {

TEST(NormalForm, IsTheSameForTheSameText) {
  EXPECT_EQ(normal_form("cafe\xCC\x81"), "caf\xC3\xA9");
  EXPECT_EQ(normal_form("caf\xC3\xA9"), "caf\xC3\xA9");
  // Two marks below and above a letter, in either order.
  EXPECT_EQ(normal_form("q\xCC\x87\xCC\xA3"), normal_form("q\xCC\xA3\xCC\x87"));
}

TEST(NormalForm, LeavesOtherTextAsItIs) {
  for (const std::string text : {"", "Cat ", "a b", "\xE7\x8C\xAB", "\xE2\x84\xA2"})
    EXPECT_EQ(normal_form(text), text);
  EXPECT_EQ(normal_form(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(NormalForm, OfWhatIsNotUtf8IsTheSameBytes) {
  EXPECT_EQ(normal_form("caf\xE9"), "caf\xE9");
  EXPECT_EQ(without_case("caf\xE9 "), "caf\xE9");
}

TEST(WithoutCase, IsTheSameForLettersOfBothCases) {
  EXPECT_EQ(without_case("Cat "), "cat");
  EXPECT_EQ(without_case("\tCAT"), "cat");
  EXPECT_EQ(without_case("CAFE\xCC\x81"), without_case("caf\xC3\xA9"));
  EXPECT_EQ(without_case("  "), "");
  EXPECT_NE(without_case("cat"), without_case("c at"));
}

}  // namespace normal_form_test
}  // namespace gps
