// A method: what learns, apart from the stream that it learns. A run has a method and a stream
// (experiments/spec/spec.h); a deployed classifier has a method alone (deployment/learn_options.h).
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gps/learners/learner.h"
#include "gps/nn/network_options.h"
#include "gps/policies/catalog.h"
#include "gps/simulation/gps_policy.h"
#include "gps/training/trainer.h"

namespace gps {

// The most examples that a memory holds, also if it is counted in bytes.
inline constexpr int kLargestMemory = 100'000'000;

struct Method {
  LearnerOptions learner;
  TrainOptions training{/*epochs=*/5, /*batch=*/10};
  NetworkOptions network;
  PolicyOptions policy;
  int memory = 1000;               // |M|
  std::uint64_t memory_bytes = 0;  // if not 0: the memory holds as many examples as fit into it
  std::string codec = "raw";       // how images are stored (memory/codecs/codec.h)
};

// What a method is told of its stream.
struct Outlook {
  std::string stream = {};  // its name, for messages
  int tasks = 0;            // 0: nobody knows how many will come
  bool is_split = false;    // do tasks bring classes of their own?
  int pseudo_epochs = 1;    // passes over a pseudo-task unless an option sets them (Appendix F)
};

// What to call a run beside others: by its policy, or by its learner where that has no memory; by
// both where there are several learners.
std::string run_label(const Method& method, bool with_learner);

// Throws UsageError for anything unknown, out of range or impossible together, before any work
// starts.
void validate(const Method& method, const Outlook& outlook);

// All of it, canonical: equal methods give equal text.
nlohmann::json to_json(const Method& method, const Outlook& outlook);

// The reverse: to_json(method_from_json(json, outlook), outlook) == json for whatever to_json()
// made. Options that the JSON does not have, since they have no meaning there, take their defaults.
// Throws DataError if the JSON is not a method of this version.
Method method_from_json(const nlohmann::json& json, const Outlook& outlook);

// Throws DataError if a key of `json` has another value in `again`, or none: this version would
// lose it.
void check_nothing_is_lost(const nlohmann::json& json, const nlohmann::json& again);

// What the method's policy must know besides its own options. Executor, hooks and benchmark are
// left to be filled in.
SimulationNeeds simulation_needs(const Method& method, const Outlook& outlook);

// The benchmark may be null where the policy imagines its future. REQUIRES: what is referred to
// outlives the policy.
std::unique_ptr<MemoryPolicy> make_policy(const Method& method, const Outlook& outlook,
                                          const Benchmark* benchmark, Executor& executor,
                                          SimulationHooks hooks);

}  // namespace gps
