#include "gps/experiments/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gps/core/version.h"
#include "gps/experiments/store/row_checksum.h"
#include "gps/experiments/store/store_schema.h"
#include "gps/experiments/warnings.h"

namespace gps {
namespace {

// Returns the columns that run_of() reads, and the result.
std::string run_columns(bool has_checksums, bool with_result) {
  return fmt::format(
      "id, hash, spec, seed, version, status, benchmark, learner, policy, label, host, pid, "
      "process_start, error, accuracy, seconds, started, finished, heartbeat, {}, {}",
      has_checksums ? "checksum" : "NULL", with_result ? "result" : "NULL");
}

std::optional<RunStatus> status_from(const std::string& name) {
  for (const RunStatus status :
       {RunStatus::running, RunStatus::done, RunStatus::failed, RunStatus::interrupted}) {
    if (name_of(status) == name) return status;
  }
  return std::nullopt;
}

// Calls `use` with the ids as parts of statements: "1, 2, 3".
template <typename Use>
void for_each_part(std::span<const std::int64_t> ids, const Use& use) {
  constexpr std::size_t kMost = 1000;  // a statement must not be too long
  for (; !ids.empty(); ids = ids.subspan(std::min(kMost, ids.size())))
    use(fmt::format("{}", fmt::join(ids.first(std::min(kMost, ids.size())), ", ")));
}

constexpr const char* kNoStatus = "its status is unknown";

std::string line_about(std::int64_t id, const std::string& damage) {
  return fmt::format("run {0} is damaged: {1}; gpscl runs rm {0} removes it", id, damage);
}

// Returns the checksum of a row, apart from its result, which has one of its own.
std::string run_checksum(const StoredRun& run) {
  RowChecksum sum;
  for (const std::string& text :
       {run.hash, run.spec, run.version, name_of(run.status), run.benchmark, run.learner,
        run.policy, run.label, run.owner.host, run.owner.start, run.error})
    sum.add(text);
  sum.add(static_cast<std::int64_t>(run.seed)).add(run.owner.pid);
  sum.add(static_cast<std::int64_t>(run.accuracy.has_value())).add(run.accuracy.value_or(0));
  return sum.add(run.seconds).add(run.started).add(run.finished).text();
}

// Returns what is wrong with a row, apart from its status and its result. Rows of earlier versions,
// and those of runs that have not ended, have no checksum.
std::string damage_of(const StoredRun& run, const std::optional<std::string>& checksum) {
  if (!nlohmann::json::parse(run.spec, nullptr, /*allow_exceptions=*/false).is_object())
    return "its spec is not JSON";
  if (text_hash(run.spec) != run.hash) return "its spec does not match its hash";
  constexpr double kLatest = 1e15;  // seconds; what is later has no date
  for (const double time : {run.started, run.finished, run.seconds}) {
    if (!(std::abs(time) <= kLatest)) return "its times are out of range";
  }
  if (checksum && *checksum != run_checksum(run)) return "its checksum does not match";
  return "";
}

// Returns the conditions of the filter. `values` gets the values of their parameters, in order.
std::string where(const RunFilter& filter, std::vector<std::string>& values) {
  std::string text = " WHERE 1";
  const auto add = [&](const std::string& condition, const std::string& value) {
    if (value.empty()) return;
    values.push_back(value);
    text += fmt::format(fmt::runtime(" AND (" + condition + ")"), values.size());
  };
  if (!filter.ids.empty()) text += fmt::format(" AND id IN ({})", fmt::join(filter.ids, ", "));
  add("benchmark = ?{0}", filter.benchmark);
  add("learner = ?{0}", filter.learner);
  add("policy = ?{0} OR label = ?{0}", filter.policy);
  add("status = ?{0}", filter.status ? name_of(*filter.status) : "");
  return text;
}

StoredRun run_of(const Statement& row) {
  StoredRun run;
  run.id = row.integer(0);
  run.hash = row.text(1);
  run.spec = row.text(2);
  run.seed = static_cast<std::uint64_t>(row.integer(3));
  run.version = row.text(4);
  const std::optional<RunStatus> status = status_from(row.text(5));
  run.status = status.value_or(RunStatus::interrupted);
  run.benchmark = row.text(6);
  run.learner = row.text(7);
  run.policy = row.text(8);
  run.label = row.text(9);
  run.owner = {row.text(10), row.integer(11), row.text(12)};
  run.error = row.text(13);
  if (!row.is_null(14)) run.accuracy = row.real(14);
  run.seconds = row.real(15);
  run.started = row.real(16);
  run.finished = row.real(17);
  run.heartbeat = row.real(18);
  std::optional<std::string> checksum;
  if (!row.is_null(19)) checksum = row.text(19);
  run.damage = status ? damage_of(run, checksum) : kNoStatus;
  run.result = row.text(20);
  return run;
}

// Inserts or replaces the row of a run.
constexpr const char* kInsert =
    "INSERT INTO runs (hash, spec, seed, version, status, benchmark, learner, policy, label, host, "
    "pid, process_start, heartbeat, started, error, result, accuracy, seconds, finished, checksum) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, "
    "?20) "
    "ON CONFLICT (spec, seed) DO UPDATE SET hash = excluded.hash, version = excluded.version, "
    "status = excluded.status, benchmark = excluded.benchmark, learner = excluded.learner, policy "
    "= excluded.policy, label = excluded.label, "
    "host = excluded.host, pid = excluded.pid, process_start = excluded.process_start, heartbeat = "
    "excluded.heartbeat, started = excluded.started, error = excluded.error, result = "
    "excluded.result, accuracy = excluded.accuracy, seconds = excluded.seconds, finished = "
    "excluded.finished, checksum = excluded.checksum";

struct End {
  std::optional<std::string> error;
  std::optional<std::string> result;
  std::optional<double> accuracy;
  std::optional<double> seconds;
  std::optional<double> finished;
};

void upsert(Database& database, const Spec& spec, std::uint64_t seed, RunStatus status,
            const ProcessId& owner, double now, const End& end, const std::string& guard = "") {
  StoredRun run;
  run.hash = spec_hash(spec);
  run.spec = to_json(spec).dump();
  run.seed = seed;
  run.version = kVersion;
  run.status = status;
  run.benchmark = spec.benchmark.name;
  const RunNames names = run_names(spec);
  run.learner = names.learner;
  run.policy = names.policy;
  run.label = names.label;
  run.owner = owner;
  run.error = end.error.value_or("");
  run.accuracy = end.accuracy;
  run.seconds = end.seconds.value_or(0);
  run.started = now - run.seconds;
  run.finished = end.finished.value_or(0);
  const bool has_ended = status == RunStatus::done || status == RunStatus::failed;
  Statement statement(database, kInsert + guard);
  statement.bind(1, run.hash)
      .bind(2, run.spec)
      .bind(3, static_cast<std::int64_t>(run.seed))
      .bind(4, run.version)
      .bind(5, name_of(run.status))
      .bind(6, run.benchmark)
      .bind(7, run.learner)
      .bind(8, run.policy)
      .bind(9, run.label)
      .bind(10, owner.host)
      .bind(11, owner.pid)
      .bind(12, owner.start)
      .bind(13, now)
      .bind(14, run.started)
      .bind(15, end.error)
      .bind(16, end.result)
      .bind(17, end.accuracy)
      .bind(18, end.seconds)
      .bind(19, end.finished)
      .bind(20, has_ended ? std::optional(run_checksum(run)) : std::nullopt)
      .run();
}

}  // namespace

std::string name_of(RunStatus status) {
  switch (status) {
    case RunStatus::running:
      return "running";
    case RunStatus::done:
      return "done";
    case RunStatus::failed:
      return "failed";
    case RunStatus::interrupted:
      return "interrupted";
  }
  return "";
}

std::string damage_line(const StoredRun& run, bool with_result) {
  if (!run.damage.empty()) return line_about(run.id, run.damage);
  if (!with_result || run.status != RunStatus::done) return "";
  try {
    result_from(run);
  } catch (const DamagedResult& error) {
    return error.what();
  } catch (const DataError&) {  // of another version
  }
  return "";
}

RunResult result_from(const StoredRun& run) {
  const auto refuse_with = [&](const std::string& damage) {
    throw DamagedResult(line_about(run.id, damage));
  };
  if (!run.damage.empty()) refuse_with(run.damage);
  const auto json = nlohmann::json::parse(run.result, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) refuse_with("its result is not JSON");
  RunResult result;
  try {
    result = result_from_json(json);
  } catch (const DamagedResult& error) {
    throw DamagedResult(
        fmt::format("run {0} is {1}; gpscl runs rm {0} removes it", run.id, error.what()));
  } catch (const std::exception& error) {  // another schema or spec
    throw DataError(fmt::format("the result of run {} cannot be read: {}", run.id, error.what()));
  }
  const auto spec = nlohmann::json::parse(run.spec, nullptr, /*allow_exceptions=*/false);
  if (json.at("spec") != spec || result.seed != run.seed)
    refuse_with("its result is that of another run");
  constexpr double kRounding = 1e-9;
  if (run.accuracy && std::abs(*run.accuracy - result.metrics.average_accuracy()) > kRounding)
    refuse_with("its accuracy is not that of its result");
  return result;
}

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
      const std::optional<RunStatus> status = status_from(row.text(0));
      if (!status) throw DamagedResult(line_about(row.integer(5), kNoStatus));
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
    upsert(database_, spec, seed, RunStatus::running, owner, now, {});
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
  upsert(database_, result.spec, result.seed, RunStatus::done, owner, now,
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
  upsert(database_, spec, seed, RunStatus::failed, owner, now,
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
