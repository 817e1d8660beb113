// A report over made-up results.
#pragma once

#include <nlohmann/json.hpp>

#include "gps/report/report.h"

namespace gps::testing {

// Two tasks of two classes: the first learnt to 0.9 and down to `first`, the second `second`.
inline RunResult tiny_result(const std::string& policy, std::uint64_t seed, double first,
                             double second) {
  RunResult result;
  set_policy(result.spec, policy);
  result.spec.benchmark.tasks = 2;
  result.spec.memory = 8;
  result.seed = seed;
  result.accuracy = {{0.9, 0.1}, {first, second}};
  result.metrics = compute_metrics(result.accuracy, {0.1, 0.1});
  result.memory = {{{1, {3, 1}, {2, 2}}}, {{1, {2, 0}, {1, 1}}, {2, {0, 2}, {0, 2}}}};
  result.seconds = {1, 2, 3};
  if (policy == "gps") {
    result.decisions = {{1, 4, 8, {{4, 0.5, 0.75}, {2, 0.6, 0.7}}}, {2, 2, 4, {}}};
  }
  return result;
}

inline ReportedRun reported(std::int64_t id, const RunResult& result) {
  ReportedRun run;
  run.run.id = id;
  run.run.spec = to_json(result.spec).dump();
  run.run.seed = result.seed;
  run.run.status = RunStatus::done;
  run.run.benchmark = result.spec.benchmark.name;
  run.run.learner = result.spec.learner.name;
  run.run.policy = result.spec.policy;
  run.run.label = policy_label(result.spec);
  run.run.accuracy = result.metrics.average_accuracy;
  run.result = result;
  run.command = "gpscl run p-mnist";
  return run;
}

// Two policies over two seeds each; latest first, as the store has them.
inline Report tiny_report() {
  Report report{"results/runs.sqlite", "2026-01-02 03:04", {}, 0};
  report.runs = {reported(4, tiny_result("gps", 1, 0.62, 0.84)),
                 reported(3, tiny_result("reservoir", 1, 0.5, 0.8)),
                 reported(2, tiny_result("gps", 0, 0.6, 0.8)),
                 reported(1, tiny_result("reservoir", 0, 0.4, 0.8))};
  return report;
}

}  // namespace gps::testing
