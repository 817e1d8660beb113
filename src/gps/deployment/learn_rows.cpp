#include "gps/deployment/learn_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gps/core/text/name_list.h"

namespace gps {
namespace {

// A text that chooses a member of a family.
LearnOption choosing_option(const Option& row) {
  LearnOption option{{.row = row, .group = "The method"}};
  option.row.flag = row.key;
  option.row.kind = OptionKind::text;
  option.row.value_name = "NAME";
  option.may_change = true;
  option.concerns = [](const LearnOptions&) { return true; };
  return option;
}

LearnOption learner_row() {
  LearnOption option = choosing_option({.key = "learner",
                                        .flag = {},
                                        .usual = std::string("er"),
                                        .help = "how a training step changes the network",
                                        .names = deployable_learners()});
  option.get = [](const LearnOptions& options) -> OptionValue {
    return options.method.learner.name;
  };
  option.set = [](LearnOptions& options, const OptionValue& value) {
    options.method.learner.name = std::get<std::string>(value);
  };
  return option;
}

LearnOption policy_row() {
  LearnOption option = choosing_option({.key = "policy",
                                        .flag = {},
                                        .usual = std::string("gps"),
                                        .help = "which images the memory keeps",
                                        .names = deployable_policies()});
  option.get = [](const LearnOptions& options) -> OptionValue {
    return policy_label(options.method.policy);
  };
  // Variants that the text does not name return to their defaults: gps is not gps:rotation.
  option.set = [](LearnOptions& options, const OptionValue& value) {
    const std::string& text = std::get<std::string>(value);
    PolicyOptions& policy = options.method.policy;
    policy.name = text;
    if (text == "none") return;
    variant_of(text);  // throws for what is no policy
    const std::string name = text.substr(0, text.find(':'));
    for (const std::string& key : find(policy_catalog(), "policy", name).variants)
      policy.settings.erase(key);
    set_policy(policy, text);
  };
  return option;
}

void add_own_rows(std::vector<LearnOption>& all) {
  for (const BoundOption<LearnOptions>& each : learn_table()) {
    LearnOption option{{.row = each.row, .group = "The state"}};
    option.row.usual_text = text_of(each.row.usual);
    option.may_change =
        each.row.key == "keep" || each.row.key == "keep_days" || each.row.key == "memory";
    option.get = each.get;
    option.set = each.set;
    option.concerns = [](const LearnOptions&) { return true; };
    all.push_back(std::move(option));
  }
}

// Leaves only users that can be deployed.
void keep_deployable(FamilyOption& option) {
  if (option.family != "learner" && option.family != "policy") return;
  const std::vector<std::string> known =
      option.family == "learner" ? deployable_learners() : deployable_policies();
  const auto is_unknown = [&](const std::string& user) { return !has_name(known, user); };
  std::erase_if(option.users, is_unknown);
  std::erase_if(option.users_if, is_unknown);
}

// Leaves only names that a state can be made with: settle() refuses gps:offline, for example.
void keep_accepted_names(LearnOption& option) {
  if (option.family != "policy" || option.row.kind != OptionKind::name) return;
  std::erase_if(option.row.names, [&](const std::string& name) {
    LearnOptions options = learn_options("er", option.users.front());
    option.set(options, name);
    try {
      settle(options);
    } catch (const UsageError&) {
      return true;
    }
    return false;
  });
}

// Returns the default of a policy's option, with the policies and learners that have another one.
std::string usual_by_policy(const LearnOption& option) {
  const auto value = [&](const std::string& learner, const std::string& policy) {
    return text_of(option.get(learn_options(learner, policy)));
  };
  const std::string first = value("er", option.users.front());
  std::string text = first;
  for (const std::string& policy : option.users) {
    if (value("er", policy) != first) text += fmt::format("; {}: {}", policy, value("er", policy));
  }
  for (const std::string& learner : deployable_learners()) {
    if (!replays(learner)) continue;
    const std::string own = value(learner, option.users.front());
    if (own != first) text += fmt::format("; {}: {}", learner, own);
  }
  return text;
}

// Returns the default for the help. The rows give those of runs, which depend on the benchmark.
std::string usual_text_of(const LearnOption& option) {
  const std::map<std::string, std::string> kept = {
      {"memory_batch", option.row.usual_text},
      {"model", "by the images: mlp or convnet"},
      {"epochs", "by the number of images: 2 to 100"},
      {"weights", option.row.usual_text},
      {"window", "10"},
      {"simulation_epochs", "1"},
      {"simulation_examples", "as many as are replayed"},
  };
  if (const auto at = kept.find(option.row.key); at != kept.end()) return at->second;
  if (option.family == "policy")
    return option.row.usual_text.empty() ? usual_by_policy(option) : option.row.usual_text;
  if (option.family == "model")
    return text_of(option.get(learn_options("er", "", option.users.front())));
  if (option.family != "learner") return text_of(option.get(learn_options("er")));
  const auto usual = [&](const std::string& model) {
    std::vector<std::string> texts;
    for (const std::string& user : option.users)
      texts.push_back(text_of(option.get(learn_options(user, "", model))));
    const bool is_one = std::count(texts.begin(), texts.end(), texts.front()) == std::ssize(texts);
    if (is_one) return texts.front();
    for (std::size_t k = 0; k < texts.size(); ++k) texts[k] = option.users[k] + ": " + texts[k];
    return join(texts);
  };
  const std::string mlp = usual("mlp");
  const std::string other = usual("convnet");
  return mlp == other ? mlp : fmt::format("{}; models other than mlp: {}", mlp, other);
}

void add_method_rows(std::vector<LearnOption>& all) {
  for (const MethodOption& each : method_options()) {
    const std::string& key = each.row.key;
    // The replayed part of the memory follows from the whole, and files have no flag.
    if (each.row.flag.empty() || key == "memory" || key == "knows_length") continue;
    LearnOption option{static_cast<const FamilyOption&>(each)};
    keep_deployable(option);
    if (!each.users.empty() && option.users.empty()) continue;
    option.may_change = each.group != "The network" && key != "codec";
    option.get = [&each](const LearnOptions& options) {
      return each.effective ? each.effective(options.method)
                            : each.get(options.method, kLearnOutlook);
    };
    if (key == "model") {  // whose file is beside the state, under another name
      option.get = [](const LearnOptions& options) -> OptionValue {
        const std::string& model = options.method.network.model;
        return is_file(model) ? "a file" : model;
      };
    }
    if (key == "backbone") {
      option.get = [](const LearnOptions& options) -> OptionValue {
        return std::string(options.has_backbone() ? "a file" : "none");
      };
    }
    option.set = [&each](LearnOptions& options, const OptionValue& value) {
      each.set(options.method, value);
    };
    option.concerns = [&each](const LearnOptions& options) {
      return each.concerns(options.method);
    };
    option.instead = [&each](const LearnOptions& options) { return each.instead(options.method); };
    keep_accepted_names(option);
    if (option.row.kind == OptionKind::name && option.row.names.size() < 2) continue;
    option.row.usual_text = usual_text_of(option);
    all.push_back(std::move(option));
  }
}

std::vector<const LearnOption*> rows_given(const GivenTexts& given) {
  std::vector<const LearnOption*> found;
  for (const LearnOption& option : learn_rows()) {
    const auto at = given.find(option.row.flag);
    if (at == given.end()) continue;
    if (find_by_flag(learn_rows(), at->first, at->second) == &option) found.push_back(&option);
  }
  return found;
}

void set_all(LearnOptions& options, const std::vector<const LearnOption*>& rows,
             const GivenTexts& given) {
  const bool is_alike = options.method.learner.memory_batch == options.method.training.batch;
  for (const LearnOption* option : rows)
    option->set(options, read_value(option->row, given.at(option->row.flag)));
  if (is_alike && !given.contains("memory-batch"))
    options.method.learner.memory_batch = options.method.training.batch;
}

// What the name of the policy says must not be said by an option too.
void check_is_said_once(const GivenTexts& given) {
  const auto policy = given.find("policy");
  if (policy == given.end() || policy->second == "none") return;
  for (const auto& [key, value] : variant_of(policy->second)) {
    for (const LearnOption& option : learn_rows()) {
      if (option.row.key != key || !given.contains(option.row.flag)) continue;
      throw UsageError(
          fmt::format("`policy` {} and `{}` set the same option; leave one of them out",
                      policy->second, option.row.flag));
    }
  }
}

void check_has_an_effect(const LearnOption& option, const LearnOptions& options) {
  if (option.concerns(options)) return;
  throw OptionError(option.row.flag, why_useless(option, option.instead(options)));
}

// Gives the method the defaults of a learner or policy that it does not have yet. The learning rate
// and the numbers of images in a step stay as they are.
void take_defaults(Method& method, const GivenTexts& given) {
  const auto said = [&](const char* flag) {
    const auto at = given.find(flag);
    return at == given.end() ? std::string() : at->second;
  };
  const std::string policy = said("policy");
  const std::string learner = said("learner").empty() ? method.learner.name : said("learner");
  const bool is_other_learner = learner != method.learner.name;
  const bool is_other_policy =
      !policy.empty() && policy.substr(0, policy.find(':')) != method.policy.name;
  if (!is_other_learner && !is_other_policy) return;
  const Method usual = learn_options(learner, policy, method.network.model).method;
  if (is_other_learner) {
    const LearnerOptions before = std::exchange(method.learner, usual.learner);
    method.learner.learning_rate = before.learning_rate;
    method.learner.memory_batch = before.memory_batch;
  }
  const bool had_memory = method.policy.name != "none";
  if (is_other_policy || replays(learner) != had_memory) method.policy = usual.policy;
}

// `said` are the options of the state with everything that was given.
void check_is_as_it_was(const LearnOption& option, const LearnOptions& said,
                        const LearnOptions& options, const std::string& text) {
  if (option.row.key == "weights") {
    throw OptionError(option.row.flag,
                      "can only be used when a state is made; this state has weights already");
  }
  const NetworkOptions& network = options.method.network;
  if (option.row.key == "model" && is_file(text) && is_file(network.model)) {
    if (fingerprint(text) == network.model_fingerprint) return;
    throw OptionError(
        option.row.flag,
        fmt::format("{} differs from the model file that this state was made with", text));
  }
  if (option.row.key == "backbone" && options.has_backbone()) {
    if (fingerprint(text) == network.backbone_fingerprint) return;
    throw OptionError(
        option.row.flag,
        fmt::format("{} differs from the backbone that this state was made with", text));
  }
  if (option.get(said) == option.get(options)) return;
  refuse_change(option.row.flag, text_of(option.get(options)), text);
}

}  // namespace

void refuse_change(const std::string& flag, const std::string& has, const std::string& got) {
  throw OptionError(
      flag, fmt::format("is {} in this state and cannot change, got {}; start a new state for that",
                        has, got));
}

const std::vector<LearnOption>& learn_rows() {
  static const std::vector<LearnOption> all = [] {
    std::vector<LearnOption> rows = {learner_row(), policy_row()};
    add_own_rows(rows);
    add_method_rows(rows);
    return rows;
  }();
  return all;
}

LearnOptions new_learn_options(const GivenTexts& given, const DataFacts& facts) {
  const auto said = [&](const char* flag, const char* otherwise) {
    const auto at = given.find(flag);
    return at == given.end() ? otherwise : at->second;
  };
  DataFacts known = facts;
  known.learner = said("learner", "er");
  known.model = said("model", given.contains("backbone") ? "mlp" : "");
  LearnOptions options = learn_options_for(known, said("policy", ""));
  if (given.contains("epochs") || given.contains("steps")) options.fits_epochs = false;
  check_is_said_once(given);
  std::vector<const LearnOption*> rows = rows_given(given);
  std::erase_if(rows, [](const LearnOption* option) {  // which the defaults depend on
    const std::string& key = option->row.key;
    return key == "learner" || key == "policy" || key == "model";
  });
  set_all(options, rows, given);
  for (const LearnOption* option : rows) check_has_an_effect(*option, options);
  return options;
}

void change_options(LearnOptions& options, const GivenTexts& given) {
  check_is_said_once(given);
  std::vector<const LearnOption*> rows = rows_given(given);
  take_defaults(options.method, given);
  LearnOptions said = options;
  set_all(said, rows, given);
  for (const LearnOption* option : rows) {
    check_has_an_effect(*option, said);
    if (!option->may_change) check_is_as_it_was(*option, said, options, given.at(option->row.flag));
  }
  std::erase_if(rows, [](const LearnOption* option) { return !option->may_change; });
  const OptionValue replayed = options.method.memory;
  set_all(options, rows, given);
  if (given.contains("epochs") || given.contains("steps")) options.fits_epochs = false;
  settle(options);
  // A state has the value that followed from its memory. It follows from the new one as well.
  Settings& settings = options.method.policy.settings;
  constexpr const char* kSimulated = "simulation_examples";
  const OptionValue* const simulated = settings.find(kSimulated);
  if (simulated != nullptr && *simulated == replayed && !given.contains("sim-examples"))
    settings.erase(kSimulated);
}

}  // namespace gps
