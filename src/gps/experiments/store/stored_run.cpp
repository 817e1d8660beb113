#include "gps/experiments/store/stored_run.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace gps {

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

std::optional<RunStatus> run_status_from(const std::string& name) {
  for (const RunStatus status :
       {RunStatus::running, RunStatus::done, RunStatus::failed, RunStatus::interrupted}) {
    if (name_of(status) == name) return status;
  }
  return std::nullopt;
}

std::string damaged_run_text(std::int64_t id, const std::string& damage) {
  return fmt::format("run {0} is damaged: {1}; gpscl runs rm {0} removes it", id, damage);
}

std::string damage_line(const StoredRun& run, bool with_result) {
  if (!run.damage.empty()) return damaged_run_text(run.id, run.damage);
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
    throw DamagedResult(damaged_run_text(run.id, damage));
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

}  // namespace gps
