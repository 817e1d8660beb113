// What one run is: everything but the seed that its result depends on. Defaults are the paper's for
// P-MNIST (section 6.1 and Appendix F).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gps/benchmarks/benchmark.h"
#include "gps/learners/learner.h"
#include "gps/nn/network_options.h"
#include "gps/simulation/gps_policy.h"
#include "gps/simulation/policy_catalog.h"
#include "gps/training/trainer.h"

namespace gps {

// What learns, apart from the stream that it learns.
struct Method {
  LearnerOptions learner;
  TrainOptions training{/*epochs=*/5, /*batch=*/10};
  NetworkOptions network;
  PolicyOptions policy;
  int memory = 1000;  // |M|
};

struct Spec : Method {
  BenchmarkOptions benchmark;
};

// What a method is told of its stream.
struct Outlook {
  std::string kind = "p-mnist";  // the stream of the catalog whose hyper-parameters it takes
  int tasks = 0;                 // 0: nobody knows how many will come
  bool is_split = false;         // do tasks bring classes of their own?
};
Outlook outlook_of(const BenchmarkOptions& stream);

// The model of a benchmark where none is named: resnet18 for images in colour, mlp otherwise.
std::string default_model(const std::string& benchmark);

// What to call a run beside others: by its policy, or by its learner where that has no memory; by
// both where there are several learners.
std::string run_label(const Method& method, bool with_learner);

// Throws UsageError for anything unknown, out of range or impossible together, before any work
// starts.
void validate(const Method& method, const Outlook& outlook);
void validate(const Spec& spec);

// All of it, canonical: equal specs give equal text.
nlohmann::json to_json(const Spec& spec);
nlohmann::json to_json(const Method& method, const Outlook& outlook);

// The way back: to_json(spec_from_json(json)) == json for whatever to_json() made. Options that the
// JSON does not have, since they have no meaning there, take their defaults. Throws DataError for
// what is no spec of this version.
Spec spec_from_json(const nlohmann::json& json);

// The same for a method. What the JSON says of a stream is passed over.
Method method_from_json(const nlohmann::json& json, const Outlook& outlook);

// What the method's policy must know besides its own options. Executor, hooks and benchmark are
// left to be filled in.
SimulationNeeds simulation_needs(const Method& method, const Outlook& outlook);

// The simulation's options with the defaults that depend on others filled in.
SimulationOptions simulation_options(const Spec& spec);

// The benchmark may be null where the policy imagines its future. REQUIRES: what is referred to
// outlives the policy.
std::unique_ptr<MemoryPolicy> make_policy(const Method& method, const Outlook& outlook,
                                          const Benchmark* benchmark, Executor& executor,
                                          SimulationHooks hooks);

}  // namespace gps
