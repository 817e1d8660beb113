#include "gps/experiments/store/store_schema.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>

#include "gps/core/errors.h"

namespace gps {
namespace {

constexpr int kSchema = 3;
constexpr int kApplication = 0x67707363;  // "gpsc": identifies databases of gpscl

// Schema 1. `spec` is compared as text: equal specs give equal text, and there are no hash
// collisions.
constexpr const char* kTables = R"(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  spec TEXT NOT NULL,
  seed INTEGER NOT NULL,
  version TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'interrupted')),
  benchmark TEXT NOT NULL,
  learner TEXT NOT NULL,
  policy TEXT NOT NULL,
  label TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  process_start TEXT NOT NULL,
  heartbeat REAL NOT NULL,
  error TEXT,
  result TEXT,
  accuracy REAL,
  seconds REAL,
  started REAL NOT NULL,
  finished REAL,
  UNIQUE (spec, seed)
);
CREATE INDEX runs_by_status ON runs (status);
CREATE INDEX runs_by_kind ON runs (benchmark, learner, policy);
)";

// Added in schema 2.
constexpr const char* kAnalyses = R"(
CREATE TABLE analyses (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  hash TEXT NOT NULL,
  options TEXT NOT NULL,
  seed INTEGER NOT NULL,
  version TEXT NOT NULL,
  result TEXT NOT NULL,
  seconds REAL NOT NULL,
  finished REAL NOT NULL,
  UNIQUE (kind, options, seed)
);
)";

// Claims of finished runs that are done again. Has no schema number of its own: versions that do
// not know the table work without it.
constexpr const char* kRedoClaims = R"(
CREATE TABLE IF NOT EXISTS redo_claims (
  spec TEXT NOT NULL,
  seed INTEGER NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  process_start TEXT NOT NULL,
  heartbeat REAL NOT NULL,
  UNIQUE (spec, seed)
);
)";

bool has_column(Database& database, const std::string& table, const std::string& column) {
  Statement statement(database, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2");
  statement.bind(1, table).bind(2, column);
  return statement.step();
}

// Added in schema 3. Rows of earlier versions have none.
void add_checksums(Database& database) {
  for (const char* table : {"runs", "analyses"}) {
    if (!has_column(database, table, "checksum"))
      database.execute(fmt::format("ALTER TABLE {} ADD COLUMN checksum TEXT", table));
  }
}

// Returns whether the file begins like an SQLite file. Returns true if nothing can be read: SQLite
// then reports the error.
bool may_be_a_database(const std::filesystem::path& path) {
  constexpr std::string_view kBegin("SQLite format 3\0", 16);
  std::ifstream file(path, std::ios::binary);
  std::array<char, kBegin.size()> begin{};
  file.read(begin.data(), begin.size());
  return file.gcount() == 0 ||
         std::string_view(begin.data(), static_cast<std::size_t>(file.gcount())) == kBegin;
}

std::int64_t pragma(Database& database, const std::string& name) {
  Statement statement(database, "PRAGMA " + name);
  return statement.step() ? statement.integer(0) : 0;
}

}  // namespace

std::filesystem::path checked_store_path(const std::filesystem::path& path,
                                         const Store::Options& options) {
  const bool read_only = options.read_only;
  std::error_code error;
  if (read_only && !std::filesystem::exists(path, error)) {
    throw DataError(fmt::format(
        "{}: there is no such store; gpscl run and gpscl sweep make one; name another with {}",
        path.string(), options.named_by));
  }
  if (std::filesystem::is_directory(path, error)) {
    throw DataError(fmt::format("{}: cannot be opened: it is a folder; expected a file such as {}",
                                path.string(), (path / "runs.sqlite").string()));
  }
  if (std::filesystem::is_other(path, error)) {
    throw DataError(fmt::format(
        "{}: cannot be opened: it is a pipe or a device; expected a file of its own, such as {}",
        path.string(), (path.parent_path() / "runs.sqlite").string()));
  }
  if (read_only && std::filesystem::is_empty(path, error)) {
    throw DataError(
        fmt::format("{}: is empty and contains no runs; gpscl run and gpscl sweep make it a store",
                    path.string()));
  }
  if (read_only && !may_be_a_database(path)) {
    throw DataError(
        fmt::format("{}: is not a store of runs, because it is not an SQLite database; gpscl run "
                    "and gpscl sweep make a store; name another with {}",
                    path.string(), options.named_by));
  }
  if (!read_only && path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) {
      throw DataError(
          fmt::format("{}: its folder cannot be created: {}", path.string(), error.message()));
    }
  }
  return path;
}

void settle_schema(Database& database, bool read_only) {
  if (!read_only) {
    database.use_write_ahead_log();
    database.execute("PRAGMA synchronous = FULL");
    Transaction transaction(database);
    const bool is_new =
        pragma(database, "user_version") == 0 && pragma(database, "schema_version") == 0;
    if (is_new) {
      database.execute(kTables);
      database.execute(fmt::format("PRAGMA application_id = {}", kApplication));
    }
    const bool is_own = pragma(database, "application_id") == kApplication;
    const std::int64_t before = is_new ? 1 : pragma(database, "user_version");
    if (is_own && before >= 1 && before < kSchema) {
      if (before == 1) database.execute(kAnalyses);
      add_checksums(database);
      database.execute(fmt::format("PRAGMA user_version = {}", kSchema));
    }
    const bool is_ours = pragma(database, "application_id") == kApplication &&
                         pragma(database, "user_version") == kSchema;
    if (is_ours) database.execute(kRedoClaims);
    transaction.commit();
  }
  if (pragma(database, "application_id") != kApplication) {
    throw DataError(fmt::format("{}: is a database of another program, not a store of runs",
                                database.path().string()));
  }
  const std::int64_t schema = pragma(database, "user_version");
  if (schema < 1 || schema > kSchema) {
    throw DataError(fmt::format("{}: is a store of schema {}; this version of gpscl reads 1 to {}",
                                database.path().string(), schema, kSchema));
  }
}

bool has_checksums(Database& database) { return has_column(database, "runs", "checksum"); }

}  // namespace gps
