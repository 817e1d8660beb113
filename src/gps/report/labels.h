// Labels that distinguish runs, and groups of runs that can be compared.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/experiments/result.h"

namespace gps {

// Returns the memory of a spec in its JSON form: a number of examples, a text such as "784kB", or
// null.
nlohmann::json memory_in(const nlohmann::json& spec);

// Returns for example "7396 images in 783976 bytes"; empty for results that do not record it.
std::string stored_text(const RunResult& result);

// Returns one label per spec. Two labels are equal only if the specs are. A label has learner and
// policy, and, if those do not distinguish two specs, as few options as needed: "er gps:rotation
// memory=100". The benchmark is included if there are several. What is planned is not shown, since
// the run did not use what was given; only plans that differ in nothing else are "plan from
// epochs=1".
std::vector<std::string> distinct_labels(const std::vector<Spec>& specs);

// Returns a small set of keys whose values distinguish all of these objects. REQUIRES: no two are
// equal.
std::vector<std::string> telling_keys(const std::vector<nlohmann::json>& specs);

// Returns the stream, network and training of a run of this stream without any option, as in the
// JSON of a spec. What differs from it is worth saying in a title.
nlohmann::json usual_setting(const BenchmarkOptions& stream);

// Returns ", examples per task 500": an option as part of a title.
std::string title_part(const std::string& key, const nlohmann::json& value);

// Results of the same stream, network, training and memory, which differ in learner and policy.
struct ComparableResults {
  // "p-mnist, 10 tasks, memory 100", and all that is unusual or differs from another title.
  std::string title;
  std::vector<RunResult> results;
};

// Groups the results, in the order in which they come. Results of learners without a memory are in
// the groups of all memories, and those whose length was planned in the groups of all lengths.
std::vector<ComparableResults> by_setting(const std::vector<RunResult>& results);

}  // namespace gps
