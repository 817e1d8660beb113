// The table of all options of a spec: those of its stream, and those of its method
// (experiments/method_options.h). Validation, results, the command line, its help, sweeps and the
// command that repeats a run are derived from it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gps/experiments/method_options.h"
#include "gps/experiments/spec.h"

namespace gps {

struct SpecOption : FamilyOption {
  std::function<OptionValue(const Spec&)> get = {};
  std::function<void(Spec&, const OptionValue&)> set = {};
  std::function<bool(const Spec&)> concerns = {};  // is it looked at by this spec?
  // Do results mention it, besides where it is looked at? Files of earlier versions do.
  bool is_always_written = false;
};

// In the order of the help. No two have the same key; two may share a flag (init).
const std::vector<SpecOption>& spec_options();

// REQUIRES: there is one with this key.
const SpecOption& spec_option(const std::string& key);

// The first with this flag that takes this text, or null: init is a name or a file.
const SpecOption* find_spec_option(const std::string& flag, const std::string& text = {});

// Sets the option of this flag from text. A flag without a value is "true". Throws OptionError.
void set_option(Spec& spec, const std::string& flag, const std::string& text);

}  // namespace gps
