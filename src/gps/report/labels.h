// Labels that tell runs apart, and which runs can be compared.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/experiments/result.h"

namespace gps {

// One label for each spec, equal only where the specs are: by learner and policy, and, where those
// do not tell two apart, by as few of the options as do: "er gps:rotation memory=100". The
// benchmark is named where there are several.
std::vector<std::string> distinct_labels(const std::vector<Spec>& specs);

// As few keys as tell all of these different objects apart. REQUIRES: no two are equal.
std::vector<std::string> telling_keys(const std::vector<nlohmann::json>& specs);

// Results of the same stream, network, training and memory, which differ in learner and policy.
struct ComparableResults {
  std::string title;  // "p-mnist, 10 tasks, memory 100"
  std::vector<RunResult> results;
};

// In the order in which they come. Those of learners without a memory go with every memory.
std::vector<ComparableResults> by_setting(const std::vector<RunResult>& results);

}  // namespace gps
