// The analyses of a store (store.h).
#include "gps/core/version.h"
#include "gps/experiments/store/row_checksum.h"
#include "gps/experiments/store/store.h"

namespace gps {
namespace {

std::string analysis_columns(bool has_checksums) {
  return std::string("id, kind, hash, options, seed, version, result, seconds, finished, ") +
         (has_checksums ? "checksum" : "NULL");
}

std::string analysis_checksum(const StoredAnalysis& analysis) {
  RowChecksum sum;
  for (const std::string& text :
       {analysis.kind, analysis.hash, analysis.options, analysis.version, analysis.result})
    sum.add(text);
  sum.add(static_cast<std::int64_t>(analysis.seed));
  return sum.add(analysis.seconds).add(analysis.finished).text();
}

StoredAnalysis analysis_of(const Statement& row) {
  StoredAnalysis analysis;
  analysis.id = row.integer(0);
  analysis.kind = row.text(1);
  analysis.hash = row.text(2);
  analysis.options = row.text(3);
  analysis.seed = static_cast<std::uint64_t>(row.integer(4));
  analysis.version = row.text(5);
  analysis.result = row.text(6);
  analysis.seconds = row.real(7);
  analysis.finished = row.real(8);
  if (text_hash(analysis.options) != analysis.hash) {
    analysis.damage = "its options do not match their hash";
  } else if (!row.is_null(9) && row.text(9) != analysis_checksum(analysis)) {
    analysis.damage = "its checksum does not match";
  }
  return analysis;
}

}  // namespace

void Store::record(const StoredAnalysis& made) {
  const std::lock_guard lock(mutex_);
  StoredAnalysis analysis = made;
  analysis.hash = text_hash(made.options);
  analysis.version = kVersion;
  Statement(database_,
            "INSERT INTO analyses (kind, hash, options, seed, version, result, seconds, finished, "
            "checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (kind, options, "
            "seed) DO UPDATE SET hash = excluded.hash, version = excluded.version, result = "
            "excluded.result, seconds = excluded.seconds, finished = excluded.finished, checksum = "
            "excluded.checksum")
      .bind(1, analysis.kind)
      .bind(2, analysis.hash)
      .bind(3, analysis.options)
      .bind(4, static_cast<std::int64_t>(analysis.seed))
      .bind(5, analysis.version)
      .bind(6, analysis.result)
      .bind(7, analysis.seconds)
      .bind(8, analysis.finished)
      .bind(9, analysis_checksum(analysis))
      .run();
}

std::optional<StoredAnalysis> Store::find_analysis(const std::string& kind,
                                                   const std::string& options, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  if (!has_table("analyses")) return std::nullopt;
  Statement row(database_, "SELECT " + analysis_columns(has_checksums_) +
                               " FROM analyses WHERE kind = ?1 AND options = ?2 AND seed = ?3");
  row.bind(1, kind).bind(2, options).bind(3, static_cast<std::int64_t>(seed));
  if (!row.step()) return std::nullopt;
  return analysis_of(row);
}

std::vector<StoredAnalysis> Store::analyses(const std::string& kind) {
  const std::lock_guard lock(mutex_);
  if (!has_table("analyses")) return {};
  Statement row(database_, "SELECT " + analysis_columns(has_checksums_) +
                               " FROM analyses WHERE ?1 = '' OR kind = ?1 ORDER BY finished DESC, "
                               "id DESC");
  row.bind(1, kind);
  std::vector<StoredAnalysis> found;
  while (row.step()) found.push_back(analysis_of(row));
  return found;
}

}  // namespace gps
