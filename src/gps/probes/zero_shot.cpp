#include "gps/probes/zero_shot.h"
#include "gps/core/option.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gps/probes/prefix.h"
#include "gps/probes/pseudo_tasks.h"
#include "gps/training/evaluate.h"

namespace gps {

ZeroShot ZeroShot::from_json(const nlohmann::json& json) {
  ZeroShot result;
  for (const nlohmann::json& row : json.at("rows")) {
    result.rows.push_back(
        {row.at("source").get<std::string>(), row.at("accuracy").get<std::vector<double>>()});
  }
  return result;
}

nlohmann::json to_json(const ZeroShot& result) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ZeroShotRow& row : result.rows)
    rows.push_back({{"source", row.source}, {"accuracy", row.accuracy}});
  return {{"rows", std::move(rows)}};
}

void validate(const ZeroShotOptions& options) {
  validate(options.spec);
  if (learns_jointly(options.spec.learner.name))
    throw UsageError("learner 'joint' learns all tasks at once, so no task is left for transfer");
  const int tasks = options.spec.benchmark.tasks;
  if (options.after < 1 || options.after > tasks)
    throw OptionError(
        "after", fmt::format("must be between 1 and the {} tasks, got {}", tasks, options.after));
  check_count(options.count);
}

nlohmann::json to_json(const ZeroShotOptions& options) {
  return {{"spec", to_json(options.spec)}, {"after", options.after}, {"count", options.count}};
}

ZeroShot analyse(const ZeroShotOptions& options, std::uint64_t seed, const BenchmarkSource& source,
                 Executor& executor, const ProbeHooks& hooks) {
  validate(options);
  TaskTally tally(hooks, static_cast<std::size_t>(options.after));
  const Prefix prefix =
      learn_first(options.after, options.spec, seed, source, executor, hooks.stop, tally);
  ZeroShot result;
  for (const std::string& name : task_sources()) {
    ZeroShotRow row{name, {}};
    for (const TaskTest& test :
         tests_after(options.after, options.count, name, *prefix.benchmark, seed)) {
      row.accuracy.push_back(
          evaluate(*prefix.learner, test.examples, test.labels, hooks.stop).accuracy);
    }
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace gps
