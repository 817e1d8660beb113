// RAII wrappers for SQLite: a database and its prepared statements, closed when they go out of
// scope. Every failure is a DataError of one line that names the file and says what to do.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gps/core/errors.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gps {

class Database;

// The file is damaged, or not a database.
class DamagedDatabase : public DataError {
 public:
  using DataError::DataError;
};

// One statement. Parameters are numbered from 1, columns from 0.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);

  Statement& bind(int parameter, const std::string& value);
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);
  template <typename Value>
  Statement& bind(int parameter, const std::optional<Value>& value) {
    return value ? bind(parameter, *value) : *this;  // an unbound parameter is NULL
  }

  // Moves to the next row. Returns false if there are no more rows.
  bool step();
  void run() {
    while (step()) {
    }
  }

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;  // "" if it is NULL

 private:
  struct Finalise {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalise> handle_;
};

class Database {
 public:
  enum class Mode { read_write, read_only };

  // Opens the file. In the mode read_write, creates it if necessary. If others write to the file,
  // waits for them for up to `patience`. Use from one thread at a time.
  Database(std::filesystem::path path, Mode mode, std::chrono::milliseconds patience);

  void execute(const std::string& sql);

  // Switches the file to a write-ahead log, so that others can read it while one writes. SQLite
  // does not wait for other users of the file here, so this function does: it tries again for up to
  // the patience, and calls `busy` before each further attempt.
  void use_write_ahead_log(const std::function<void()>& busy = {});

  std::int64_t changes() const;  // rows that the last statement changed
  const std::filesystem::path& path() const { return path_; }

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  [[noreturn]] void fail(int code) const;

  std::filesystem::path path_;
  Mode mode_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// Begins with BEGIN IMMEDIATE, so that what is read stays true until commit(). Without commit(),
// everything is rolled back.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {
    database_.execute("BEGIN IMMEDIATE");
  }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool is_open_ = true;
};

}  // namespace gps
