// The definition of a run: everything that its result depends on, except the seed. Defaults are
// those of the paper for P-MNIST (section 6.1 and Appendix F).
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

// Everything that learns, without the stream.
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

// What a method knows about its stream.
struct Outlook {
  std::string kind = "p-mnist";  // the stream of the catalog whose hyper-parameters it uses
  int tasks = 0;                 // 0: the number is not known
  bool is_split = false;         // whether tasks have different classes
};
Outlook outlook_of(const BenchmarkOptions& stream);

// Returns the default model of a benchmark: resnet18 for colour images, mlp otherwise.
std::string default_model(const std::string& benchmark);

// Returns a label for a run among others: its policy, or its learner if that has no memory. With
// several learners, both.
std::string run_label(const Method& method, bool with_learner);

// Throws UsageError for values that are unknown, out of range or cannot be combined, before any
// work starts.
void validate(const Method& method, const Outlook& outlook);
void validate(const Spec& spec);

// Returns all options in a canonical form: equal specs give equal text.
nlohmann::json to_json(const Spec& spec);
nlohmann::json to_json(const Method& method, const Outlook& outlook);

// Reads the JSON back: to_json(spec_from_json(json)) == json for every JSON that to_json() made.
// Options that are not in the JSON, because they have no effect there, get their defaults. Throws
// DataError if the JSON is not a spec of this version.
Spec spec_from_json(const nlohmann::json& json);

// The same for a method. Keys of a stream in the JSON are ignored.
Method method_from_json(const nlohmann::json& json, const Outlook& outlook);

// Returns what the method's policy needs besides its own options. The caller must add executor,
// hooks and benchmark.
SimulationNeeds simulation_needs(const Method& method, const Outlook& outlook);

// Returns the options of the simulation, including defaults that depend on other options.
SimulationOptions simulation_options(const Spec& spec);

// `benchmark` may be null if the policy simulates the future from the task itself. REQUIRES: all
// arguments that the policy refers to outlive it.
std::unique_ptr<MemoryPolicy> make_policy(const Method& method, const Outlook& outlook,
                                          const Benchmark* benchmark, Executor& executor,
                                          SimulationHooks hooks);

}  // namespace gps
