// A small stream for a classifier that goes on learning: weeks of made-up images with names.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gps/deployment/learn.h"
#include "support/tiny_data.h"

namespace gps::testing {

// The classes [first, last) of ten, `per_class` images of each, for a state that knows the classes
// before `known`.
inline NewTask week(int number, int first, int last, std::size_t per_class = 30) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(last), 0);
  for (int c = first; c < last; ++c) counts[static_cast<std::size_t>(c)] = per_class;
  NewTask task{.name = fmt::format("week{}", number)};
  for (int c = 0; c < last; ++c) task.classes.push_back(fmt::format("class {}", c));
  task.train = tiny_dataset(counts, static_cast<std::uint64_t>(number));
  return task;
}

// Two new classes a week.
inline NewTask week(int number) { return week(number, 2 * number - 2, 2 * number); }

inline LearnOptions tiny_options(const std::string& learner = "er", const std::string& policy = {},
                                 int memory = 50) {
  LearnOptions options = learn_options(learner, policy);
  options.memory = memory;
  options.shape = {1, 6, 6};
  options.method.network.hidden = {16};
  options.method.training.epochs = 10;
  options.method.policy.settings["score_examples"] = 10;
  options.method.learner.learning_rate = 0.05f;
  settle(options);
  return options;
}

// The state's accuracy among all classes, on fresh images of the first `classes` of them.
inline double accuracy_among_all(LearnState& state, int classes) {
  const Dataset fresh = tiny_dataset(classes, 20, /*seed=*/99);
  return test(state, fresh, labels_in(fresh)).among_all;
}

}  // namespace gps::testing
