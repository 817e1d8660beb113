// Runs that take a few milliseconds, for the fuzz target of checkpoints and the corpus: learners
// and policies of every kind, on one stream of five tasks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/tiny_run.h"
#include "gps/experiments/run_state.h"
#include "gps/experiments/spec/presets.h"

namespace gps::fuzz {

inline const std::vector<Spec>& checkpointed_specs() {
  static const std::vector<Spec> specs = [] {
    const std::vector<std::pair<std::string, std::string>> methods = {
        {"er", "reservoir"},    {"er", "gps"},           {"der++", "mixed"},  {"icarl", "herding"},
        {"hal", "ring-full"},   {"agem", "one-batch"},   {"gss", "gradient"}, {"er", "cur-res"},
        {"er", "hybrid"},       {"er", "cur-ring-full"}, {"oewc", "none"},    {"ogd", "none"},
        {"gdumb", "ring-full"},
    };
    std::vector<Spec> all;
    for (const auto& [learner, policy] : methods) {
      Spec spec = testing::tiny_split_spec(policy);
      spec.learner.name = learner;
      apply_preset(spec, "paper");
      spec.network.hidden = {4};
      spec.training = {/*epochs=*/1, /*batch=*/4};
      spec.memory = 10;
      spec.policy.settings["score_examples"] = 4;
      all.push_back(spec);
    }
    // Ten examples as codecs store them, and logits in one byte.
    all.push_back(all.front());
    all.back().memory = 0;
    all.back().memory_bytes = 10 * (24 + 8);
    all.back().codec = "pack:24";
    all.push_back(all[2]);
    all.back().memory = 0;
    all.back().memory_bytes = 10 * (9 + 18 + 8);
    all.back().codec = "bits:2";
    all.back().learner.settings["logits"] = "int8";
    return all;
  }();
  return specs;
}

// The stream of all these runs: five tasks of two classes, four examples of each.
inline const BenchmarkSource& checkpointed_source() {
  static const testing::TinySplitSource source(
      checkpointed_specs().front().benchmark,
      TrainTest{testing::tiny_dataset(/*classes=*/10, /*per_class=*/4, /*seed=*/1),
                testing::tiny_dataset(/*classes=*/10, /*per_class=*/1, /*seed=*/2)});
  return source;
}

// Who a checkpoint must belong to for the run to continue from it.
inline RunIdentity checkpoint_identity(const Spec& spec) {
  return identity_of(spec, /*seed=*/0, *checkpointed_source().stream(/*seed=*/0));
}

}  // namespace gps::fuzz
