// What one run is: everything but the seed that its result depends on. Defaults are the paper's for
// P-MNIST (section 6.1 and Appendix F).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/benchmarks/benchmark.h"
#include "gps/learners/learner.h"
#include "gps/nn/network_options.h"
#include "gps/policies/rebuilding.h"
#include "gps/simulation/gps_policy.h"

namespace gps {

struct Spec {
  BenchmarkOptions benchmark;
  LearnerOptions learner;
  TrainOptions training{/*epochs=*/5, /*batch=*/10};
  NetworkOptions network;

  std::string policy = "reservoir";  // "none" for learners that do not replay
  int memory = 1000;                 // |M|
  std::vector<double> ring = {0.5};  // mixed: ring ratio, one for all tasks or one a task
  RingQuota ring_quota = RingQuota::deal;
  InTask in_task = InTask::strict;  // mixed and gps
  Base base = Base::random;         // mixed and gps
  double easy_fraction = 0;  // γ of cur-res, cur-ring-full and the base `curriculum`; 0: 0.2, or
                             // 0.1 for cur-ring-full (the paper's Table 9)
  EasyRank easy_rank = EasyRank::loss;           // likewise
  GssVariant gss_variant = GssVariant::mammoth;  // gradient
  int gss_batch = 10;                            // gradient: stored examples to compare with

  std::string future = "permutation";  // gps, as all below
  int simulation_epochs = 0;    // 0: 1 (S-CIFAR and TinyImageNet: 5), or as in reality for the
                                // future `offline`
  int simulation_examples = 0;  // 0: |M|, or all for the future `offline`
  int window = 0;               // 0: no window up to T = 10, and 10 beyond
  bool knows_length = true;     // whether gps is told T
  Objective objective = Objective::accuracy;
  Score score = Score::natural;
  int score_examples = 2000;
  int stride = 0;  // 0: |M|/(5i)
  int smallest_stride = 0;
  int largest_stride = 0;
  float reuse = 0.25f;  // of a stride
};

const Catalog& policy_catalog();

// "mixed:0.5", "mixed:0.5/cur", "gps:rotation/balanced/cur", "ring-full:floor", "gradient:greedy":
// the policy's name and what tells its variants apart. Sets both in the spec. Throws UsageError.
void set_policy(Spec& spec, const std::string& text);

// The same the other way round, for tables: what to call this policy beside others.
std::string policy_label(const Spec& spec);

// The model of a benchmark where none is named: resnet18 for images in colour, mlp otherwise.
std::string default_model(const std::string& benchmark);

// Does this policy ask which examples are easy? And γ, the default filled in.
bool has_easy_pool(const Spec& spec);
double easy_fraction(const Spec& spec);

// What to call a run beside others: by its policy, or by its learner where that has no memory; by
// both where there are several learners.
std::string run_label(const Spec& spec, bool with_learner);

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

std::unique_ptr<MemoryPolicy> make_policy(const Spec& spec, const Benchmark& benchmark,
                                          Executor& executor, SimulationHooks hooks);

// Names of enumerators, as the command line and the results spell them.
std::string name_of(ErLoss value);
std::string name_of(DerLogits value);
std::string name_of(HalVariant value);
std::string name_of(Fisher value);
std::string name_of(RingQuota value);
std::string name_of(InTask value);
std::string name_of(Base value);
std::string name_of(EasyRank value);
std::string name_of(GssVariant value);
std::string name_of(Objective value);
std::string name_of(Score value);

}  // namespace gps
