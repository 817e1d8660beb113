// Learners by name, and what their options are.
#pragma once

#include "gps/learners/learner.h"

namespace gps::testing {

// The learner of this name with otherwise these options.
inline std::unique_ptr<Learner> make_named(const std::string& name, LearnerOptions options,
                                           std::unique_ptr<Network> network) {
  options.name = name;
  return make_learner(options, std::move(network));
}

// A number among the learner's own options, as the learner computes with it. REQUIRES: it has one
// of this key.
inline float value_of(const LearnerOptions& options, const std::string& key) {
  const LearnerEntry& entry = find(learner_catalog(), "learner", options.name);
  return detail::from_value<float>(value_in(options.settings, *find_option(entry.options, key)));
}

}  // namespace gps::testing
