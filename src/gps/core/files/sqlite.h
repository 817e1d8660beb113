// SQLite with owners: a database and its prepared statements, closed when they go out of scope.
// Whatever goes wrong is a DataError of one line that names the file and says what to do.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace gps {

class Database;

// One statement. Parameters are numbered from 1, columns from 0.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);

  Statement& bind(int parameter, const std::string& value);
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);
  template <typename Value>
  Statement& bind(int parameter, const std::optional<Value>& value) {
    return value ? bind(parameter, *value) : *this;  // what is not bound is NULL
  }

  // On to the next row. False if there is none (any more).
  bool step();
  void run() {
    while (step()) {
    }
  }

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;  // "" where it is NULL

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

  // Opens the file; in the mode read_write it is made if need be. Others that write to it are
  // waited for as long as `patience`. Use from one thread at a time.
  Database(std::filesystem::path path, Mode mode, std::chrono::milliseconds patience);

  void execute(const std::string& sql);
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
  std::unique_ptr<sqlite3, Close> handle_;
};

// BEGIN IMMEDIATE, so that what is read stays true until commit(); without one, nothing was done.
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
