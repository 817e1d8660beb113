#include "gps/core/files/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <thread>
#include <utility>

namespace gps {

void Statement::Finalise::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(database.handle_.get(), sql.c_str(),
                                      static_cast<int>(sql.size()), &handle, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) database.fail(code);
}

Statement& Statement::bind(int parameter, const std::string& value) {
  const int code = sqlite3_bind_text64(handle_.get(), parameter, value.data(), value.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_.get(), parameter, value);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  const int code = sqlite3_bind_double(handle_.get(), parameter, value);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(code);
  return code == SQLITE_ROW;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}
std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}
double Statement::real(int column) const { return sqlite3_column_double(handle_.get(), column); }
std::string Statement::text(int column) const {
  const auto* bytes =
      reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));  // NOLINT
  if (bytes == nullptr) return "";
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

Database::Database(std::filesystem::path path, Mode mode, std::chrono::milliseconds patience)
    : path_(std::move(path)), mode_(mode), patience_(patience) {
  const int flags =
      mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path_.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, /*vfs=*/nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(handle, static_cast<int>(patience.count()));
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

// SQLite returns SQLITE_BUSY at once, without its own waiting, if another connection writes: the
// switch reads first, and a reader that waited for a writer could wait for ever.
void Database::use_write_ahead_log(const std::function<void()>& busy) {
  constexpr std::chrono::milliseconds kNap{5};
  const auto end = std::chrono::steady_clock::now() + patience_;
  while (true) {
    const int code =
        sqlite3_exec(handle_.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    const bool is_busy = (code & 0xFF) == SQLITE_BUSY;
    if (!is_busy || std::chrono::steady_clock::now() >= end) fail(code);
    if (busy) busy();
    std::this_thread::sleep_for(kNap);
  }
}

std::int64_t Database::changes() const { return sqlite3_changes64(handle_.get()); }

void Database::fail(int code) const {
  std::string what;
  switch (code & 0xFF) {  // the low byte is the primary error code
    case SQLITE_CANTOPEN:
      what = "cannot be opened; does its folder exist, and can you write to it?";
      break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      what = "cannot be written to; is it, or its folder, read-only?";
      break;
    case SQLITE_FULL:
      what = "cannot be written to; the disk is full";
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      what = "is locked by another program; wait until that ends, or use another store";
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      what = "is damaged or not an SQLite database";
      if (mode_ == Mode::read_write) what += "; move it away to get a new one";
      throw DamagedDatabase(fmt::format("{}: {}", path_.string(), what));
    case SQLITE_IOERR:
      what = fmt::format("cannot be read or written ({}); is the disk full?",
                         sqlite3_errmsg(handle_.get()));
      break;
    default:
      what = sqlite3_errmsg(handle_.get());
  }
  throw DataError(fmt::format("{}: {}", path_.string(), what));
}

Transaction::~Transaction() {
  if (!is_open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const DataError&) {  // SQLite has already rolled back, for example on a full disk
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  is_open_ = false;
}

}  // namespace gps
