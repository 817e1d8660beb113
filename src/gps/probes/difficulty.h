// Difficulty of tasks (Tables 3 and 4 of the paper): each task or pseudo-task is learnt alone, "in
// an identical end-to-end training setup". All start from the same initial weights, those of a run
// with the seed. They are learnt by plain gradient descent with the spec's network, epochs, batch
// and learning rate, and with the random draws of task i of a run. So the difficulty of task 1 is,
// bit for bit, the accuracy of `gpscl run --learner sgd --tasks 1`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gps/experiments/spec/spec.h"
#include "gps/probes/probe.h"

namespace gps {

struct LearntAlone {
  int task = 0;         // number of the real task, or 1, 2, … for pseudo-tasks
  double accuracy = 0;  // on its test set, among its labels
  double loss = 0;
  double train_accuracy = 0;  // on its training examples (A16)
};

struct Difficulty {
  std::vector<LearntAlone> tasks;
  static Difficulty from_json(const nlohmann::json& json);
};
nlohmann::json to_json(const Difficulty& result);

struct DifficultyOptions {
  using Result = Difficulty;
  static constexpr const char* kKind = "difficulty";

  Spec spec;                    // its learner and policy are ignored: sgd is used
  std::string source = "real";  // or a future that makes pseudo-tasks (pseudo_tasks.h)
  int task = 1;                 // real: the first task; otherwise the task they are made from
  int count = 5;                // number of tasks; real: fewer if the stream ends
};

void validate(const DifficultyOptions& options);  // throws UsageError
nlohmann::json to_json(const DifficultyOptions& options);

Difficulty analyse(const DifficultyOptions& options, std::uint64_t seed,
                   const BenchmarkSource& source, Executor& executor, const ProbeHooks& hooks = {});

// Returns the variance of the accuracies in percent squared, with divisor n, as in the last column
// of Tables 3 and 4.
double variance_of_accuracy(const Difficulty& result);

}  // namespace gps
