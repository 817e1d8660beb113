#include "gps/core/text/shell.h"

#include <gtest/gtest.h>

namespace gps {
namespace shell_test {

TEST(ShellQuoted, LeavesPlainWordsAlone) {
  EXPECT_EQ(shell_quoted("--ring=0.1,0.9"), "--ring=0.1,0.9");
  EXPECT_EQ(shell_quoted("gps:rotation/cur"), "gps:rotation/cur");
}

TEST(ShellQuoted, ProtectsAllElse) {
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("two words"), "'two words'");
  EXPECT_EQ(shell_quoted("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_quoted("it's"), R"('it'\''s')");
}

TEST(ShellQuoted, WritesControlCharactersAsEscapes) {
  EXPECT_EQ(shell_quoted("a\x1b[0m"), R"($'a\x1b[0m')");
  EXPECT_EQ(shell_quoted("it's\n\\"), R"($'it\'s\n\\')");
  EXPECT_EQ(shell_quoted("caf\xE9"), R"($'caf\xe9')");
  EXPECT_EQ(shell_quoted("café"), "'café'");
}

}  // namespace shell_test
}  // namespace gps
