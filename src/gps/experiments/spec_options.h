// The table of all options of a spec. Validation, results, the command line, its help, sweeps and
// the command that repeats a run are derived from it. The rows of learners, policies, networks and
// streams are defined with these; this file combines them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gps/experiments/spec.h"

namespace gps {

struct SpecOption {
  Option row;
  std::string group;                       // heading in the help
  std::string family = {};                 // "learner", "policy" or "model"; empty: for all
  std::vector<std::string> users = {};     // the members of that family that use it
  std::vector<std::string> users_if = {};  // those that need row.needs_key for it
  std::function<OptionValue(const Spec&)> get = {};
  std::function<void(Spec&, const OptionValue&)> set = {};
  std::function<bool(const Spec&)> concerns = {};  // whether the spec uses it
  // Whether results contain it even if the spec does not use it, as in files of earlier versions.
  bool is_always_written = false;
};

// Options in the order of the help. Each key occurs once; two options may share a flag (init).
const std::vector<SpecOption>& spec_options();

// REQUIRES: there is an option with this key.
const SpecOption& spec_option(const std::string& key);

// Returns the first option with this flag that accepts this text, or null. The text matters for
// init, which is a name or a file.
const SpecOption* find_spec_option(const std::string& flag, const std::string& text = {});

// Sets the option with this flag from text. For a flag without a value the text is "true". Throws
// OptionError.
void set_option(Spec& spec, const std::string& flag, const std::string& text);

// Returns why this option has no effect in a spec: "works only with policy mixed, but `policy` is
// gps". `chosen` is the user's choice, here gps.
std::string why_useless(const SpecOption& option, const std::string& chosen);

}  // namespace gps
