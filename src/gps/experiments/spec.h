// What one run is: everything but the seed that its result depends on. Defaults are the paper's for
// P-MNIST (section 6.1 and Appendix F).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gps/benchmarks/benchmark.h"
#include "gps/experiments/method.h"

namespace gps {

struct Spec : Method {
  BenchmarkOptions benchmark;
};

// What the method of a run is told of its stream.
Outlook outlook_of(const BenchmarkOptions& stream);

// The model of a benchmark where none is named: resnet18 for images in colour, mlp otherwise.
std::string default_model(const std::string& benchmark);

// Throws UsageError for anything unknown, out of range or impossible together, before any work
// starts.
void validate(const Spec& spec);

// All of it, canonical: equal specs give equal text.
nlohmann::json to_json(const Spec& spec);

// The way back: to_json(spec_from_json(json)) == json for whatever to_json() made. Options that the
// JSON does not have, since they have no meaning there, take their defaults. Throws DataError for
// what is no spec of this version.
Spec spec_from_json(const nlohmann::json& json);

// The simulation's options with the defaults that depend on others filled in.
SimulationOptions simulation_options(const Spec& spec);

}  // namespace gps
