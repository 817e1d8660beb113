// Keeps analyses in the store, so that none is done twice. There is one record for each kind,
// options and seed.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "gps/core/work/clock.h"
#include "gps/experiments/store/store.h"
#include "gps/probes/probe.h"

namespace gps {

// An analysis to be done.
template <typename Options>
struct Analysis {
  Options options;
  std::uint64_t seed = 0;
};

// Returns the stored result of the analysis, if there is one that is not damaged. Throws DataError
// for a record that cannot be read.
template <typename Options>
std::optional<typename Options::Result> recall(Store& store, const Analysis<Options>& analysis) {
  const auto found =
      store.find_analysis(Options::kKind, to_json(analysis.options).dump(), analysis.seed);
  if (!found || !found->damage.empty()) return std::nullopt;
  try {
    return Options::Result::from_json(nlohmann::json::parse(found->result));
  } catch (const nlohmann::json::exception& error) {
    throw DataError("analysis " + std::to_string(found->id) + " of " + store.path().string() +
                    " cannot be read: " + error.what());
  }
}

// Does the analysis and records its result.
template <typename Options>
typename Options::Result do_and_record(const Analysis<Options>& analysis,
                                       const BenchmarkSource& source, Executor& executor,
                                       Store& store, const ProbeHooks& hooks) {
  const double start = steady_seconds();
  auto result = analyse(analysis.options, analysis.seed, source, executor, hooks);
  const double taken = steady_seconds() - start;
  StoredAnalysis record;
  record.kind = Options::kKind;
  record.options = to_json(analysis.options).dump();
  record.seed = analysis.seed;
  record.result = to_json(result).dump();
  record.seconds = taken;
  record.finished = seconds_now();
  store.record(record);
  return result;
}

// Called from any thread. Calls for the same analysis never overlap.
struct AnalyseManyHooks {
  std::function<void(std::size_t k, const ProbeProgress&)> progress;
  // `error` is empty, or says why the analysis failed. Not called for interrupted analyses.
  std::function<void(std::size_t k, bool was_recorded, const std::string& error)> ended;
};

// Entry k of the result belongs to all[k]. It is empty if that analysis failed, or was not begun or
// was interrupted because `stop` was requested. All analyses must be of the source's benchmark.
// Stored results are used unless `again`. If the store cannot be written or read, stops all
// analyses and throws DataError.
template <typename Options>
std::vector<std::optional<typename Options::Result>> analyse_many(
    std::span<const Analysis<Options>> all, const BenchmarkSource& source, Executor& executor,
    Store& store, StopFlag& stop, bool again = false, const AnalyseManyHooks& hooks = {}) {
  std::vector<std::optional<typename Options::Result>> results(all.size());
  for (const Analysis<Options>& analysis : all) validate(analysis.options);
  executor.for_each(all.size(), [&](std::size_t k) {
    if (stop.is_requested()) return;
    ProbeHooks own{.stop = &stop, .progress = {}};
    if (hooks.progress)
      own.progress = [&, k](const ProbeProgress& progress) { hooks.progress(k, progress); };
    std::string error;
    try {
      if (!again) results[k] = recall(store, all[k]);
      const bool was_recorded = results[k].has_value();
      if (!was_recorded) results[k] = do_and_record(all[k], source, executor, store, own);
      if (hooks.ended) hooks.ended(k, was_recorded, "");
      return;
    } catch (const Interrupted&) {
      return;
    } catch (const DataError&) {
      stop.request();
      throw;
    } catch (const std::exception& exception) {
      error = exception.what();
    }
    if (hooks.ended) hooks.ended(k, false, error);
  });
  return results;
}

}  // namespace gps
