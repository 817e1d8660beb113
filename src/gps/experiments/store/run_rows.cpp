#include "gps/experiments/store/run_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "gps/core/version.h"
#include "gps/experiments/store/row_checksum.h"

namespace gps {
namespace {

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

}  // namespace

std::string run_columns(bool has_checksums, bool with_result) {
  return fmt::format(
      "id, hash, spec, seed, version, status, benchmark, learner, policy, label, host, pid, "
      "process_start, error, accuracy, seconds, started, finished, heartbeat, {}, {}",
      has_checksums ? "checksum" : "NULL", with_result ? "result" : "NULL");
}

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
  const std::optional<RunStatus> status = run_status_from(row.text(5));
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

void write_run(Database& database, const Spec& spec, std::uint64_t seed, RunStatus status,
               const ProcessId& owner, double now, const RunEnd& end, const std::string& guard) {
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

}  // namespace gps
