#include "gps/experiments/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gps/experiments/store/run_rows.h"
#include "gps/experiments/store/store_schema.h"
#include "gps/experiments/warnings.h"

namespace gps {
namespace {

// Calls `use` with the ids as parts of statements: "1, 2, 3".
template <typename Use>
void for_each_part(std::span<const std::int64_t> ids, const Use& use) {
  constexpr std::size_t kMost = 1000;  // a statement must not be too long
  for (; !ids.empty(); ids = ids.subspan(std::min(kMost, ids.size())))
    use(fmt::format("{}", fmt::join(ids.first(std::min(kMost, ids.size())), ", ")));
}

}  // namespace

std::filesystem::path store_file(const std::filesystem::path& path) {
  std::error_code unreachable;
  std::filesystem::path file = path / "runs.sqlite";
  const bool is_folder = std::filesystem::is_directory(path, unreachable);
  return is_folder && std::filesystem::is_regular_file(file, unreachable) ? file : path;
}

Store::Store(const std::filesystem::path& path, const Options& options)
    : database_(checked_store_path(store_file(path), options),
                options.read_only ? Database::Mode::read_only : Database::Mode::read_write,
                options.patience) {
  settle_schema(database_, options.read_only);
  has_checksums_ = has_checksums(database_);
}

bool Store::is_gone(const RunClaim& claim, const ProcessId& self, double now) {
  if (claim.owner.host == self.host) return !is_alive(claim.owner);
  return now - claim.heartbeat > kSilence;
}

bool Store::is_at_work(const StoredRun& run, const ProcessId& self, double now) {
  if (run.redo && !is_gone(*run.redo, self, now)) return true;
  return run.status == RunStatus::running && !is_gone({run.owner, run.heartbeat}, self, now);
}

const ProcessId& Store::worker_of(const StoredRun& run) {
  return run.redo ? run.redo->owner : run.owner;
}

RunStatus Store::status_now(const StoredRun& run, const ProcessId& self, double now) {
  const bool is_left = run.status == RunStatus::running && !is_at_work(run, self, now);
  return is_left ? RunStatus::interrupted : run.status;
}

bool Store::has_table(const std::string& name) {
  Statement table(database_, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1");
  table.bind(1, name);
  return table.step();
}

// A store that is opened read-only may be older than the table.
bool Store::has_redos() {
  if (!has_table("redo_claims")) return false;
  Statement row(database_, "SELECT 1 FROM redo_claims LIMIT 1");
  return row.step();
}

std::optional<RunClaim> Store::redo_of(const std::string& spec, std::uint64_t seed) {
  if (!has_redos()) return std::nullopt;
  Statement row(database_,
                "SELECT host, pid, process_start, heartbeat FROM redo_claims WHERE spec = ?1 AND "
                "seed = ?2");
  row.bind(1, spec).bind(2, static_cast<std::int64_t>(seed));
  if (!row.step()) return std::nullopt;
  return RunClaim{{row.text(0), row.integer(1), row.text(2)}, row.real(3)};
}

std::map<std::pair<std::string, std::uint64_t>, RunClaim> Store::redos() {
  std::map<std::pair<std::string, std::uint64_t>, RunClaim> all;
  if (!has_table("redo_claims")) return all;
  Statement row(database_,
                "SELECT spec, seed, host, pid, process_start, heartbeat FROM redo_claims");
  while (row.step()) {
    all[{row.text(0), static_cast<std::uint64_t>(row.integer(1))}] = {
        {row.text(2), row.integer(3), row.text(4)}, row.real(5)};
  }
  return all;
}

Claim Store::claim(const Spec& spec, std::uint64_t seed, const ClaimRules& rules,
                   const ProcessId& owner, double now) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(database_);
  const std::string text = to_json(spec).dump();
  bool is_done = false;
  {
    Statement row(database_,
                  "SELECT status, host, pid, process_start, heartbeat, id FROM runs WHERE spec = "
                  "?1 AND seed = ?2");
    row.bind(1, text).bind(2, static_cast<std::int64_t>(seed));
    if (row.step()) {
      const std::optional<RunStatus> status = run_status_from(row.text(0));
      if (!status) throw DamagedResult(damaged_run_text(row.integer(5), kNoStatus));
      const RunClaim held{{row.text(1), row.integer(2), row.text(3)}, row.real(4)};
      is_done = status == RunStatus::done;
      if (is_done && !rules.redo_done) return Claim::done;
      if (status == RunStatus::failed && !rules.redo_failed) return Claim::failed;
      if (status == RunStatus::running && !is_gone(held, owner, now)) return Claim::busy;
    }
  }
  // Also if the row is not done: it may have been removed while the run was done again.
  const std::optional<RunClaim> redo = redo_of(text, seed);
  if (redo && !is_gone(*redo, owner, now)) return Claim::busy;
  if (redo) end_redo(spec, seed, redo->owner);
  if (is_done) {
    Statement(database_,
              "INSERT INTO redo_claims (spec, seed, host, pid, process_start, heartbeat) VALUES "
              "(?1, ?2, ?3, ?4, ?5, ?6)")
        .bind(1, text)
        .bind(2, static_cast<std::int64_t>(seed))
        .bind(3, owner.host)
        .bind(4, owner.pid)
        .bind(5, owner.start)
        .bind(6, now)
        .run();
  } else {
    write_run(database_, spec, seed, RunStatus::running, owner, now, {});
  }
  transaction.commit();
  return Claim::granted;
}

void Store::end_redo(const Spec& spec, std::uint64_t seed, const ProcessId& owner) {
  Statement(database_,
            "DELETE FROM redo_claims WHERE spec = ?1 AND seed = ?2 AND host = ?3 AND pid = ?4 AND "
            "process_start = ?5")
      .bind(1, to_json(spec).dump())
      .bind(2, static_cast<std::int64_t>(seed))
      .bind(3, owner.host)
      .bind(4, owner.pid)
      .bind(5, owner.start)
      .run();
}

void Store::record_done(const RunResult& result, const ProcessId& owner, double seconds,
                        double now) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(database_);
  write_run(database_, result.spec, result.seed, RunStatus::done, owner, now,
            {.error = {},
             .result = to_json(result).dump(),
             .accuracy = result.metrics.average_accuracy(),
             .seconds = seconds,
             .finished = now});
  end_redo(result.spec, result.seed, owner);
  transaction.commit();
}

void Store::record_failed(const Spec& spec, std::uint64_t seed, const std::string& error,
                          const ProcessId& owner, double seconds, double now) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(database_);
  write_run(database_, spec, seed, RunStatus::failed, owner, now,
            {.error = error, .result = {}, .accuracy = {}, .seconds = seconds, .finished = now},
            " WHERE runs.status != 'done'");
  end_redo(spec, seed, owner);
  transaction.commit();
}

void Store::release(const Spec& spec, std::uint64_t seed, const ProcessId& owner, double now) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(database_);
  Statement(
      database_,
      "UPDATE runs SET status = 'interrupted', finished = ?1 WHERE spec = ?2 AND seed = ?3 AND "
      "status = 'running' AND host = ?4 AND pid = ?5 AND process_start = ?6")
      .bind(1, now)
      .bind(2, to_json(spec).dump())
      .bind(3, static_cast<std::int64_t>(seed))
      .bind(4, owner.host)
      .bind(5, owner.pid)
      .bind(6, owner.start)
      .run();
  end_redo(spec, seed, owner);
  transaction.commit();
}

void Store::beat(const ProcessId& owner, double now) {
  const std::lock_guard lock(mutex_);
  for (const char* claims : {"runs SET heartbeat = ?1 WHERE status = 'running' AND",
                             "redo_claims SET heartbeat = ?1 WHERE"}) {
    Statement(database_,
              fmt::format("UPDATE {} host = ?2 AND pid = ?3 AND process_start = ?4", claims))
        .bind(1, now)
        .bind(2, owner.host)
        .bind(3, owner.pid)
        .bind(4, owner.start)
        .run();
  }
}

std::vector<StoredRun> Store::find(const RunFilter& filter, bool with_results) {
  const std::lock_guard lock(mutex_);
  return rows(filter, with_results);
}

std::vector<StoredRun> Store::rows(const RunFilter& filter, bool with_results) {
  std::vector<std::string> values;
  Statement row(database_,
                fmt::format("SELECT {} FROM runs{} ORDER BY COALESCE(finished, started) DESC, id "
                            "DESC",
                            run_columns(has_checksums_, with_results), where(filter, values)));
  for (std::size_t k = 0; k < values.size(); ++k) row.bind(static_cast<int>(k) + 1, values[k]);
  std::vector<StoredRun> runs;
  while (row.step()) runs.push_back(run_of(row));
  const auto claims = redos();
  if (claims.empty()) return runs;
  for (StoredRun& run : runs) {
    const auto at = claims.find({run.spec, run.seed});
    if (at != claims.end()) run.redo = at->second;
  }
  return runs;
}

std::optional<StoredRun> Store::find(const Spec& spec, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  Statement row(database_, fmt::format("SELECT {} FROM runs WHERE spec = ?1 AND seed = ?2",
                                       run_columns(has_checksums_, /*with_result=*/true)));
  row.bind(1, to_json(spec).dump()).bind(2, static_cast<std::int64_t>(seed));
  if (!row.step()) return std::nullopt;
  StoredRun run = run_of(row);
  run.redo = redo_of(run.spec, run.seed);
  return run;
}

std::set<std::int64_t> Store::collapsed(std::span<const std::int64_t> ids) {
  const std::lock_guard lock(mutex_);
  std::set<std::int64_t> found;
  for_each_part(ids, [&](const std::string& part) {
    // The key as record_done() writes it. Within a text of the JSON, quotes have a backslash.
    Statement row(database_, fmt::format("SELECT id FROM runs WHERE status = 'done' AND id IN ({}) "
                                         "AND instr(result, '\"collapsed\":true') > 0",
                                         part));
    while (row.step()) found.insert(row.integer(0));
    Statement unmarked(database_,
                       fmt::format("SELECT id, result FROM runs WHERE status = 'done' AND id IN "
                                   "({}) AND version = '{}'",
                                   part, kVersionWithoutMarks));
    while (unmarked.step()) {
      try {
        if (result_from_json(nlohmann::json::parse(unmarked.text(1))).has_collapsed)
          found.insert(unmarked.integer(0));
      } catch (const std::exception&) {  // a damaged result, which others report
      }
    }
  });
  return found;
}

std::map<std::int64_t, double> Store::among_all(std::span<const std::int64_t> ids) {
  const std::lock_guard lock(mutex_);
  std::map<std::int64_t, double> found;
  for_each_part(ids, [&](const std::string& part) {
    Statement row(database_,
                  fmt::format("SELECT id, json_extract(result, '$.class_incremental.metrics."
                              "average_accuracy') FROM runs WHERE status = 'done' AND id IN ({}) "
                              "AND instr(result, '\"class_incremental\":') > 0 AND "
                              "json_valid(result)",
                              part));
    while (row.step()) {
      if (!row.is_null(1)) found[row.integer(0)] = row.real(1);
    }
  });
  return found;
}

std::size_t Store::remove(const RunFilter& filter) {
  const std::lock_guard lock(mutex_);
  const auto remove_rows = [&] {
    std::vector<std::string> values;
    Statement statement(database_, "DELETE FROM runs" + where(filter, values));
    for (std::size_t k = 0; k < values.size(); ++k)
      statement.bind(static_cast<int>(k) + 1, values[k]);
    statement.run();
    return static_cast<std::size_t>(database_.changes());
  };
  // A damaged row is not where the indexes look for it: they are made again from what the rows say.
  const auto make_indexes = [&] { database_.execute("REINDEX runs"); };
  const std::vector<StoredRun> found = rows(filter, /*with_results=*/false);
  const bool is_any_damaged = std::any_of(found.begin(), found.end(),
                                          [](const StoredRun& run) { return !run.damage.empty(); });
  if (is_any_damaged) make_indexes();
  try {
    return remove_rows();
  } catch (const DamagedDatabase&) {
    make_indexes();
    return remove_rows();
  }
}

}  // namespace gps
