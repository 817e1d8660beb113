#include <algorithm>

#include "gps/learners/learner.h"

namespace gps {

// Each is defined in the file of its name, except gss (er.cpp), der++ (der.cpp) and joint
// (sgd.cpp).
LearnerEntry er(), der(), der_plus_plus(), agem(), gss(), ogd(), hal(), oewc(), icarl(), gdumb(),
    sgd(), joint();

const std::vector<LearnerEntry>& learner_catalog() {
  static const std::vector<LearnerEntry> catalog = {
      er(),  der(),  der_plus_plus(), agem(),  gss(), ogd(),
      hal(), oewc(), icarl(),         gdumb(), sgd(), joint(),
  };
  return catalog;
}

const OptionTable<LearnerOptions>& learner_options() {
  static const OptionTable<LearnerOptions> table = {
      // The paper gives no value for ogd. At 0.1 the projection, which holds only to first order,
      // protects nothing.
      option("learning_rate", &LearnerOptions::learning_rate, "learning rate")
          .flag("lr")
          .above(0)
          .in_paper({{"", "ogd", 0.001}}),
      option("memory_batch", &LearnerOptions::memory_batch,
             "examples replayed in each step, for every learner that replays")
          .between(1, 1'000'000)
          .usually("= `batch`"),
  };
  return table;
}

void validate(const LearnerOptions& options) {
  const LearnerEntry& entry = find(learner_catalog(), "learner", options.name);
  learner_options().check_all(options);
  check(options.settings, entry.options, [](const std::string& key) {
    return std::any_of(
        learner_catalog().begin(), learner_catalog().end(),
        [&](const LearnerEntry& each) { return find_option(each.options, key) != nullptr; });
  });
}

void check_context(const std::string& learner, const LearnerContext& context) {
  const LearnerEntry& entry = find(learner_catalog(), "learner", learner);
  if (entry.check != nullptr) entry.check(context);
}

void set_if_any(LearnerOptions& options, const std::string& key, const OptionValue& value) {
  const LearnerEntry& entry = find(learner_catalog(), "learner", options.name);
  if (find_option(entry.options, key) != nullptr) options.settings[key] = value;
}

double relative_cost(const std::string& learner) {
  return find(learner_catalog(), "learner", learner).relative_cost;
}

bool replays(const std::string& learner) {
  return find(learner_catalog(), "learner", learner).replays;
}

std::string default_policy(const std::string& learner) {
  const LearnerEntry& entry = find(learner_catalog(), "learner", learner);
  return entry.replays ? entry.default_policy : "none";
}

bool learns_jointly(const std::string& learner) {
  return find(learner_catalog(), "learner", learner).learns_jointly;
}

bool learns_at_task_end(const std::string& learner) {
  return find(learner_catalog(), "learner", learner).learns_at_task_end;
}

bool predicts_by_memory(const std::string& learner) {
  return find(learner_catalog(), "learner", learner).predicts_by_memory;
}

bool needs_new_classes(const std::string& learner) {
  return find(learner_catalog(), "learner", learner).needs_new_classes;
}

std::unique_ptr<Learner> make_learner(const LearnerOptions& options,
                                      std::unique_ptr<Network> network) {
  validate(options);
  return find(learner_catalog(), "learner", options.name).make(options, std::move(network));
}

}  // namespace gps
