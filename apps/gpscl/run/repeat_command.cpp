#include "run/repeat_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "gps/core/shell.h"
#include "run/run_options.h"

namespace gps::cli {
namespace {

// Returns the options that describe the user's own images, as on the command line.
std::map<std::string, std::string> said_of_own_images(const OwnStream& own) {
  std::map<std::string, std::string> said;
  said["image-size"] = fmt::format("{}x{}", own.shape.height, own.shape.width);
  said["colour"] = name_of(own.shape.channels == 3 ? Colour::rgb : Colour::grey);
  if (own.classes_per_task > 0) said["classes-per-task"] = std::to_string(own.classes_per_task);
  if (own.test_fraction > 0) said["test-fraction"] = fmt::format("{}", own.test_fraction);
  if (own.skip_bad) said["skip-bad"] = "true";
  return said;
}

// Returns the spec that these options define. The description of the user's images is taken from
// `spec`, because the files may have changed or be gone.
Spec spec_given_by(RunOptions& options, const Spec& spec) {
  options.look = [&](const std::string& /*path*/, const OwnStreamOptions& /*asked*/) {
    return spec.benchmark.own.value();
  };
  options.resolve();
  return options.specs().front();
}

}  // namespace

std::vector<std::string> arguments_for(const Spec& spec) {
  RunOptions options;
  options.benchmark = spec.benchmark.name;
  if (spec.learner.name != "er") options.given["learner"] = spec.learner.name;
  if (spec.policy.name != "none") options.given["policy"] = spec.policy.name;
  if (spec.benchmark.own) options.given.merge(said_of_own_images(*spec.benchmark.own));
  // Add one option at a time, because the default of one may depend on another. Options that others
  // depend on come first.
  std::vector<const SpecOption*> order;
  for (const bool is_first : {true, false}) {
    for (const SpecOption& option : spec_options()) {
      const std::string& key = option.row.key;
      const bool leads = key == "tasks" || key == "memory" || key == "base" || key == "model";
      if (leads == is_first && !option.row.flag.empty()) order.push_back(&option);
    }
  }
  std::vector<std::string> flags;  // in the order in which they were added
  for (const auto& [flag, text] : options.given) flags.push_back(flag);
  while (true) {
    const Spec made = spec_given_by(options, spec);
    const auto differs = std::find_if(order.begin(), order.end(), [&](const SpecOption* option) {
      const bool is_written = option->concerns(spec) || option->is_always_written;
      return is_written && option->get(made) != option->get(spec) &&
             !options.was_given(option->row.flag);
    });
    if (differs == order.end()) break;
    const Option& row = (*differs)->row;
    const OptionValue value = (*differs)->get(spec);
    options.given[row.flag] = row.kind == OptionKind::flag ? "true" : text_of(value);
    flags.push_back(row.flag);
  }
  std::vector<std::string> arguments = {spec.benchmark.name};
  for (const std::string& flag : flags) {
    arguments.push_back("--" + flag);
    if (options.given.at(flag) != "true") arguments.push_back(options.given.at(flag));
  }
  return arguments;
}

std::string command_for(const std::vector<std::string>& arguments, std::uint64_t seed) {
  std::string command = "gpscl run";
  for (const std::string& word : arguments) command += " " + shell_quoted(word);
  return fmt::format("{} --seed {}", command, seed);
}

}  // namespace gps::cli
