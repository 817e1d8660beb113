// The table of all options of a method: those of training, learners, networks and policies, put
// together. A run adds the options of its stream (experiments/spec/spec_options.h), and a deployed
// classifier those that only it has (deployment/learn_rows.h).
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gps/experiments/method.h"

namespace gps {

// A row of a table that several members of a family may share.
struct FamilyOption {
  Option row;
  std::string group = {};                  // its heading in the help
  std::string family = {};                 // "learner", "policy" or "model": whose it is, if …
  std::vector<std::string> users = {};     // … only these members look at it
  std::vector<std::string> users_if = {};  // of them: those for which row.needs_key says when
  bool is_of_training = false;             // how steps are taken, by every learner: epochs, batch
};

struct MethodOption : FamilyOption {
  std::function<OptionValue(const Method&, const Outlook&)> get = {};  // as results record it
  std::function<void(Method&, const OptionValue&)> set = {};
  std::function<bool(const Method&)> concerns = {};  // is it looked at by this method?
  // What a method that does not look at it has instead, for why_useless(): "er" or
  // "gps:permutation" for an option of some learners or policies, "learner 'sgd', which keeps no
  // memory" for one of the memory.
  std::function<std::string(const Method&)> instead = {};
  // The value that is used where get() has a sign for "by default". Null: get() has it.
  std::function<OptionValue(const Method&)> effective = {};
};

// In the order of the help. No two have the same key; two may share a flag (init).
const std::vector<MethodOption>& method_options();

// Why this option has no effect: "works only with policy mixed, but `policy` is gps", or "has no
// effect for learner 'sgd', which keeps no memory". `chosen` is what there is instead.
std::string why_useless(const FamilyOption& option, const std::string& chosen);

// The first option with this flag that takes this text, or null: init is a name or a file.
template <typename AnyOption>
const AnyOption* find_by_flag(const std::vector<AnyOption>& options, const std::string& flag,
                              const std::string& text = {}) {
  const bool is_path = text.find_first_of("./") != std::string::npos;
  for (const AnyOption& option : options) {
    if (option.row.flag.empty() || option.row.flag != flag) continue;
    if (option.row.key == "initialisation" && is_path) continue;  // weights have the same flag
    return &option;
  }
  return nullptr;
}

// The text as a value of the option, in range. Throws OptionError.
OptionValue read_value(const Option& option, const std::string& text);

// Writes the value as results have it: a silent option only if it is not usual, and a number of
// bytes under a key of its own (key_of()).
void write_value(nlohmann::json& json, const Option& option, const OptionValue& value);

// The value of the option in this JSON. Nothing if there is none, or a name that this version does
// not know; check_nothing_is_lost() tells of it. Throws OptionError for a value of the wrong kind.
std::optional<OptionValue> known_value(const nlohmann::json& json, const Option& option);

}  // namespace gps
