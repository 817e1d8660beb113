// A small stream that takes milliseconds to learn, and what the tests of runs do with it.
#pragma once

#include <nlohmann/json.hpp>
#include <numeric>

#include "gps/experiments/run.h"
#include "support/tiny_data.h"

namespace gps::testing {

// Three tasks of 120 examples in four classes, so chance is a quarter. The memory has room for a
// fifth of a task.
inline Spec tiny_spec(const std::string& policy) {
  Spec spec;
  spec.benchmark.tasks = 3;
  spec.network.hidden = {32};
  spec.training = {/*epochs=*/4, /*batch=*/10};
  spec.memory = 24;
  spec.policy.settings["score_examples"] = 40;
  if (policy == "none") {
    spec.policy.name = policy;
  } else {
    set_policy(spec.policy, policy);
  }
  return spec;
}

inline Spec tiny_spec_without_memory(const std::string& learner) {
  Spec spec = tiny_spec("none");
  spec.learner.name = learner;
  return spec;
}

inline RunResult tiny_run(const Spec& spec, std::uint64_t seed = 0, const RunHooks& hooks = {}) {
  Executor executor(1);
  return run(spec, seed, TinySource(spec.benchmark), executor, hooks);
}

// The same with ten classes, two to a task: five tasks of 24 examples, and chance is a half among
// the classes of a task and a tenth among all.
inline Spec tiny_split_spec(const std::string& policy) {
  Spec spec = tiny_spec(policy);
  spec.benchmark.name = "s-mnist";
  spec.benchmark.tasks = 5;
  spec.policy.settings["score_examples"] = 10;
  return spec;
}

inline RunResult tiny_split_run(const Spec& spec, std::uint64_t seed = 0) {
  Executor executor(1);
  const TinySplitSource source(spec.benchmark, /*classes=*/10, /*per_class=*/12);
  return run(spec, seed, source, executor);
}

// The result as text, without what may differ from run to run.
inline std::string text_but_for_times(const RunResult& result) {
  nlohmann::json json = to_json(result);
  for (const char* key : {"seconds", "peak_memory_bytes", "checksum"}) json.erase(key);
  return json.dump(1);
}

inline std::size_t total(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

}  // namespace gps::testing
