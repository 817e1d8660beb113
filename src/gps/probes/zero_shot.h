// Zero-shot transfer (Table 5 of the paper): the accuracy of the network of a run, after its first
// tasks, on tasks that it has not learnt. These are the real later tasks (the entries R_ik, k > i,
// of the run's accuracy matrix) and pseudo-tasks made from the last learnt task. Each is tested
// among its own labels; pseudo-tasks have the labels of the task they are made from (A14).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gps/experiments/spec/spec.h"
#include "gps/probes/probe.h"

namespace gps {

struct ZeroShotRow {
  std::string source;            // "real", or a future
  std::vector<double> accuracy;  // on the tasks after + 1, after + 2, …
};

struct ZeroShot {
  std::vector<ZeroShotRow> rows;  // one for each of task_sources()
  static ZeroShot from_json(const nlohmann::json& json);
};
nlohmann::json to_json(const ZeroShot& result);

struct ZeroShotOptions {
  using Result = ZeroShot;
  static constexpr const char* kKind = "zero-shot";

  Spec spec;      // of the run
  int after = 2;  // number of tasks that it has learnt
  int count = 5;  // tasks to test on; real ones: as many as there are
};

void validate(const ZeroShotOptions& options);  // throws UsageError
nlohmann::json to_json(const ZeroShotOptions& options);

ZeroShot analyse(const ZeroShotOptions& options, std::uint64_t seed, const BenchmarkSource& source,
                 Executor& executor, const ProbeHooks& hooks = {});

}  // namespace gps
