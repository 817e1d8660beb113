#include "gps/core/files/line_log.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"
#include "support/child.h"
#include "support/temporary_folder.h"
#include "support/traced_child.h"

namespace gps {
namespace line_log_test {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LineLog : public ::testing::Test {
 protected:
  void write(const std::string& bytes) const { std::ofstream(log_, std::ios::binary) << bytes; }

  testing::TemporaryFolder folder_{testing::in_memory()};
  fs::path log_ = folder_.path() / "log";
};

TEST_F(LineLog, KeepsItsLinesInOrder) {
  EXPECT_THAT(read_whole_lines(log_), IsEmpty());
  append_line(log_, "one");
  append_line(log_, "");
  append_line(log_, "two");
  EXPECT_THAT(read_whole_lines(log_), ElementsAre("one", "", "two"));
  EXPECT_EQ(read_file(log_), "one\n\ntwo\n");
}

TEST_F(LineLog, LeavesATornEndOut) {
  EXPECT_EQ(remove_torn_line(log_), 0u) << "there is no file";
  write("one\ntw");
  EXPECT_THAT(read_whole_lines(log_), ElementsAre("one"));
  EXPECT_EQ(remove_torn_line(log_), 2u);
  EXPECT_EQ(remove_torn_line(log_), 0u);
  EXPECT_EQ(read_file(log_), "one\n");
  write("o");
  EXPECT_EQ(remove_torn_line(log_), 1u);
  EXPECT_EQ(read_file(log_), "");
}

TEST_F(LineLog, ThatCannotBeWrittenIsAsItWas) {
  EXPECT_THROW(append_line(folder_.path() / "none" / "log", "x"), DataError);
  append_line(log_, "one");
  // In a process of its own, because all of a process has one limit.
  const int end = testing::wait_for(testing::start_child([&] {
    const rlimit limit{8, 8};
    std::signal(SIGXFSZ, SIG_IGN);  // an error of write() instead
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    try {
      append_line(log_, "a long line");
    } catch (const DataError&) {
      _exit(3);
    }
  }));
  EXPECT_EQ(end, 3);
  EXPECT_EQ(read_file(log_), "one\n");
}

TEST_F(LineLog, KilledAnywhereItHasTheLineOrNot) {
  if (!testing::can_trace())
    GTEST_SKIP() << testing::not_traced("a log of a program that is killed while it writes");
  testing::kill_before_each_call(
      [&] { write("one\n"); }, [&] { append_line(log_, "two"); },
      [&] {
        remove_torn_line(log_);
        EXPECT_THAT(read_whole_lines(log_), AnyOf(ElementsAre("one"), ElementsAre("one", "two")));
      });
}

}  // namespace line_log_test
}  // namespace gps
