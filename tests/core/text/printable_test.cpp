#include "gps/core/text/printable.h"

#include <gtest/gtest.h>

namespace gps {
namespace printable_test {

TEST(Printable, LeavesTextInUtf8AsItIs) {
  for (const char* text : {"", "week 1", "naïve – 85.12 ± 0.34 …", "猫/🐈.png", "C:\\x\\n",
                           "\xC2\xA0", "\xEF\xBF\xBD", "\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[2J\x1b]0;x\x07"), "\\x1b[2J\\x1b]0;x\\x07");
  EXPECT_EQ(printable("a\nb\r\tc\x7f"), "a\\nb\\r\\tc\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xC2\x9Bm"), "\\xc2\\x9bm") << "a sequence without ESC";
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("caf\xE9"), "caf\\xe9");
  EXPECT_EQ(printable("\x9Bm"), "\\x9bm");
  EXPECT_EQ(printable("\xC3(é"), "\\xc3(é");
  EXPECT_EQ(printable("é\xE2\x82"), "é\\xe2\\x82") << "ends too early";
}

TEST(Printable, ChangesNothingTheSecondTime) {
  const std::string once = printable("a\nb\x1b\xFF");
  EXPECT_EQ(printable(once), once);
}

TEST(IsUtf8, RefusesWhatOtherProgramsRefuse) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a é 猫 🐈"));
  EXPECT_FALSE(is_utf8("\xE9"));
  EXPECT_FALSE(is_utf8("\x80")) << "begins in the middle";
  EXPECT_FALSE(is_utf8("\xC0\xAF")) << "longer than needed";
  EXPECT_FALSE(is_utf8("\xE0\x80\xAF")) << "longer than needed";
  EXPECT_FALSE(is_utf8("\xED\xA0\x80")) << "half of a pair of UTF-16";
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80")) << "beyond the last character";
  EXPECT_FALSE(is_utf8("\xF5\x80\x80\x80"));
  EXPECT_FALSE(is_utf8("\xE2\x82")) << "ends too early";
}

}  // namespace printable_test
}  // namespace gps
