// Difficulty of tasks (Tables 3 and 4 of the paper): each task or pseudo-task learnt alone, "in an
// identical end-to-end training setup". All start from the same fresh weights, those of a run of
// the seed; plain gradient descent with the spec's network, epochs, batch and learning rate; the
// draws are those of task i of a run. So the difficulty of task 1 is, to the bit, the accuracy of
// `gpscl run --learner sgd --tasks 1`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gps/experiments/spec.h"
#include "gps/probes/probe.h"

namespace gps {

struct LearntAlone {
  int task = 0;         // real task, or 1, 2, … for pseudo-tasks
  double accuracy = 0;  // on its test set, among its labels
  double loss = 0;
  double train_accuracy = 0;  // on what it was learnt from (A16)
};

struct Difficulty {
  std::vector<LearntAlone> tasks;
  static Difficulty from_json(const nlohmann::json& json);
};
nlohmann::json to_json(const Difficulty& result);

struct DifficultyOptions {
  using Result = Difficulty;
  static constexpr const char* kKind = "difficulty";

  Spec spec;                    // whatever its learner and policy: it is learnt by sgd
  std::string source = "real";  // or a future that makes pseudo-tasks (pseudo_tasks.h)
  int task = 1;                 // real: the first one; otherwise the one that they are made of
  int count = 5;                // real: at most so many, and as many as there are
};

void validate(const DifficultyOptions& options);  // throws UsageError
nlohmann::json to_json(const DifficultyOptions& options);

Difficulty analyse(const DifficultyOptions& options, std::uint64_t seed,
                   const BenchmarkSource& source, Executor& executor, const ProbeHooks& hooks = {});

// The variance of the accuracies, in percent squared and divided by their number, as the last
// column of Tables 3 and 4 has it.
double variance_of_accuracy(const Difficulty& result);

}  // namespace gps
