// The table of all options of a spec: those of its stream, those of its method
// (experiments/method_options.h), and those of its evaluation. Validation, results, the command
// line, its help, sweeps and the command that repeats a run are derived from it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gps/experiments/method_options.h"
#include "gps/experiments/spec/spec.h"

namespace gps {

struct SpecOption : FamilyOption {
  std::function<OptionValue(const Spec&)> get = {};
  std::function<void(Spec&, const OptionValue&)> set = {};
  std::function<bool(const Spec&)> concerns = {};  // whether the spec uses it
  // What a spec that does not use it has instead, as in MethodOption.
  std::function<std::string(const Spec&)> instead = {};
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

}  // namespace gps
