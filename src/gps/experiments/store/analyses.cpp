// The analyses of a store (store.h).
#include "gps/core/version.h"
#include "gps/experiments/store/store.h"

namespace gps {
namespace {

constexpr const char* kAnalysisColumns =
    "id, kind, hash, options, seed, version, result, seconds, finished";

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
  return analysis;
}

}  // namespace

void Store::record(const StoredAnalysis& analysis) {
  const std::lock_guard lock(mutex_);
  Statement(database_,
            "INSERT INTO analyses (kind, hash, options, seed, version, result, seconds, finished) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (kind, options, seed) DO UPDATE "
            "SET version = excluded.version, result = excluded.result, seconds = excluded.seconds, "
            "finished = excluded.finished")
      .bind(1, analysis.kind)
      .bind(2, text_hash(analysis.options))
      .bind(3, analysis.options)
      .bind(4, static_cast<std::int64_t>(analysis.seed))
      .bind(5, std::string(kVersion))
      .bind(6, analysis.result)
      .bind(7, analysis.seconds)
      .bind(8, analysis.finished)
      .run();
}

std::optional<StoredAnalysis> Store::find_analysis(const std::string& kind,
                                                   const std::string& options, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  if (!has_table("analyses")) return std::nullopt;
  Statement row(database_, std::string("SELECT ") + kAnalysisColumns +
                               " FROM analyses WHERE kind = ?1 AND options = ?2 AND seed = ?3");
  row.bind(1, kind).bind(2, options).bind(3, static_cast<std::int64_t>(seed));
  if (!row.step()) return std::nullopt;
  return analysis_of(row);
}

std::vector<StoredAnalysis> Store::analyses(const std::string& kind) {
  const std::lock_guard lock(mutex_);
  if (!has_table("analyses")) return {};
  Statement row(database_, std::string("SELECT ") + kAnalysisColumns +
                               " FROM analyses WHERE ?1 = '' OR kind = ?1 ORDER BY finished DESC, "
                               "id DESC");
  row.bind(1, kind);
  std::vector<StoredAnalysis> found;
  while (row.step()) found.push_back(analysis_of(row));
  return found;
}

}  // namespace gps
