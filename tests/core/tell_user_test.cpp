#include "gps/core/tell_user.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <stdexcept>
#include <string>

#include "support/child.h"

namespace gps {
namespace tell_user_test {

// Returns what `work` writes to standard error, in a process of its own.
std::string written_by(const std::function<void()>& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = testing::start_child([&] {
    dup2(ends[1], STDERR_FILENO);
    work();
  });
  close(ends[1]);
  std::string text;
  std::array<char, 256> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  EXPECT_EQ(testing::wait_for(child), 0);
  return text;
}

TEST(TellUser, WritesALineAndFormatsItsValues) {
  EXPECT_EQ(written_by([] { tell_user("gpscl: {} of {}: {:.1f}", 1, std::string("two"), 3.0); }),
            "gpscl: 1 of two: 3.0\n");
}

TEST(TellUser, DoesNotThrowWhereNothingCanBeWritten) {
  EXPECT_EQ(testing::wait_for(testing::start_child([] {
              close(STDERR_FILENO);
              tell_user("lost");
              show_user("lost");
            })),
            0);
}

TEST(TellUser, EscapesControlCharactersAndLineEnds) {
  EXPECT_EQ(written_by([] { tell_user("{}: {}", "a\nb\x1b[2J", "é"); }), "a\\nb\\x1b[2J: é\n");
  EXPECT_EQ(written_by([] { tell_user("{}: is empty", "dog\n  gpscl: ok"); }),
            "dog\\n  gpscl: ok: is empty\n");
}

TEST(TellUserLines, KeepsLinesThatContinue) {
  EXPECT_EQ(written_by([] { tell_user_lines("two cannot be read\n  a\n  b\x1b\nc"); }),
            "two cannot be read\n  a\n  b\\x1b\\nc\n");
}

TEST(ShowUser, WritesTheTextAsItIs) {
  EXPECT_EQ(written_by([] { show_user("\r\033[Kline"); }), "\r\033[Kline");
}

}  // namespace tell_user_test
}  // namespace gps
