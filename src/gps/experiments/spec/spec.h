// The definition of a run: everything that its result depends on, except the seed. Defaults are
// those of the paper for P-MNIST (section 6.1 and Appendix F).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gps/benchmarks/benchmark.h"
#include "gps/experiments/evaluation.h"
#include "gps/experiments/method.h"
#include "gps/experiments/planning/planning_options.h"

namespace gps {

struct Spec : Method {
  BenchmarkOptions benchmark;
  PlanningOptions planning;  // what of the method is planned, if anything
  EvaluationOptions evaluation;
};

// Whether this part of the method is planned: a name of recipe_knobs() (planning/recipe.h).
bool is_planned(const Spec& spec, const std::string& knob);

// What to call a run beside others: the label of its method; "plan" if all of that is planned, or
// for example "plan:lr+length reservoir" or "plan except lr". A learner or policy that is planned
// is not named.
std::string run_label(const Spec& spec, bool with_learner);

// The names of a run in lists. A learner or policy that is planned is called "plan".
struct RunNames {
  std::string learner;  // "er"
  std::string policy;   // "gps"
  std::string label;    // "gps:rotation"; of planned runs run_label()
};
RunNames run_names(const Spec& spec);

// What the method of a run is told of its stream.
Outlook outlook_of(const BenchmarkOptions& stream);

// Returns the default model of a benchmark: resnet18 for colour images, mlp otherwise.
std::string default_model(const std::string& benchmark);

// Throws UsageError for anything unknown, out of range or impossible together, before any work
// starts.
void validate(const Spec& spec);

// Returns all options in a canonical form: equal specs give equal text.
nlohmann::json to_json(const Spec& spec);

// Reads the JSON back: to_json(spec_from_json(json)) == json for every JSON that to_json() made.
// Options that are not in the JSON, because they have no effect there, get their defaults. Throws
// DataError if the JSON is not a spec of this version.
Spec spec_from_json(const nlohmann::json& json);

// The simulation's options with the defaults that depend on others filled in.
SimulationOptions simulation_options(const Spec& spec);

}  // namespace gps
