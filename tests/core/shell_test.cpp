#include "gps/core/shell.h"

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

}  // namespace shell_test
}  // namespace gps
