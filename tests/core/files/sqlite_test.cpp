#include "gps/core/files/sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gps/core/errors.h"
#include "support/temporary_folder.h"

namespace gps {
namespace sqlite_test {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class Sqlite : public ::testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "a.sqlite"; }
  Database open(std::chrono::milliseconds patience = 0ms) const {
    return {file(), Database::Mode::read_write, patience};
  }

 private:
  testing::TemporaryFolder folder_{testing::in_memory()};
};

template <typename Work>
std::string complaint(const Work& work) {
  try {
    work();
  } catch (const DataError& error) {
    return error.what();
  }
  return "(nothing)";
}

TEST_F(Sqlite, GivesBackWhatWasBound) {
  Database database = open();
  database.execute("CREATE TABLE t (a, b, c, d)");
  const std::string text = "with ' quotes and \n ends";
  Statement(database, "INSERT INTO t VALUES (?1, ?2, ?3, ?4)")
      .bind(1, text)
      .bind(2, std::int64_t{-5})
      .bind(3, 0.1)
      .bind(4, std::optional<double>())
      .run();
  EXPECT_EQ(database.changes(), 1);
  Statement row(database, "SELECT a, b, c, d FROM t");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0), text);
  EXPECT_EQ(row.integer(1), -5);
  EXPECT_EQ(row.real(2), 0.1);
  EXPECT_TRUE(row.is_null(3));
  EXPECT_FALSE(row.step());
}

TEST_F(Sqlite, ATransactionWithoutACommitHasNotHappened) {
  Database database = open();
  database.execute("CREATE TABLE t (a)");
  {
    const Transaction transaction(database);
    database.execute("INSERT INTO t VALUES (1)");
  }
  Statement row(database, "SELECT count(*) FROM t");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.integer(0), 0);
}

TEST_F(Sqlite, ErrorsNameTheFileAndWhatToDo) {
  Database database = open();
  database.execute("CREATE TABLE t (a)");
  EXPECT_THAT(complaint([&] { database.execute("SELECT b FROM t"); }),
              ::testing::AllOf(HasSubstr(file().string()), HasSubstr("no such column")));
  {
    // Held for longer than any patience, so it does not matter how long 20 ms take here.
    const Transaction transaction(database);
    Database other = open(20ms);
    EXPECT_THAT(complaint([&] { const Transaction second(other); }), HasSubstr("is locked"));
  }
  database.execute("PRAGMA max_page_count = 3");
  EXPECT_THAT(complaint([&] { database.execute("INSERT INTO t VALUES (randomblob(100000))"); }),
              HasSubstr("the disk is full"));
  EXPECT_THAT(complaint([] { Database("/nonexistent/x", Database::Mode::read_write, 0ms); }),
              HasSubstr("cannot be opened"));
}

TEST_F(Sqlite, WaitsForAnotherWriterBeforeItUsesAWriteAheadLog) {
  Database other = open();
  other.execute("CREATE TABLE t (a)");
  std::optional<Transaction> transaction;
  transaction.emplace(other);
  Database database = open(1h);  // as long as ctest lets a test take
  int asked = 0;
  database.use_write_ahead_log([&] {
    if (++asked == 2) transaction.reset();
  });
  EXPECT_EQ(asked, 2);
  Statement mode(database, "PRAGMA journal_mode");
  ASSERT_TRUE(mode.step());
  EXPECT_EQ(mode.text(0), "wal");
}

TEST_F(Sqlite, DoesNotWaitForAWriteAheadLogForEver) {
  Database other = open();
  // Held for longer than any patience, so it does not matter how long 20 ms take here.
  const Transaction transaction(other);
  Database database = open(20ms);
  EXPECT_THAT(complaint([&] { database.use_write_ahead_log(); }), HasSubstr("is locked"));
}

}  // namespace sqlite_test
}  // namespace gps
