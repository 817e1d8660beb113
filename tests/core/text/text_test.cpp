#include "gps/core/text/text.h"

#include <gmock/gmock.h>

namespace gps {
namespace text_test {

using ::testing::ElementsAre;

TEST(Join, PutsTheSeparatorBetweenParts) {
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({"a"}), "a");
  EXPECT_EQ(join({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(join({"1", "2"}, "/"), "1/2");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,b,,c", ','), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(split(",a,", ','), ElementsAre("", "a", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split("a b", ','), ElementsAre("a b"));
}

TEST(Join, UndoesSplit) {
  for (const char* text : {"", "a", "a,b", "a,,b", "a,", ",", ",a", ",,"}) {
    EXPECT_EQ(join(split(text, ','), ","), text);
  }
}

}  // namespace text_test
}  // namespace gps
