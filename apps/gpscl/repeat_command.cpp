#include "repeat_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gps/core/shell.h"
#include "run_options.h"

namespace gps::cli {
namespace {

// What lies at the path is taken from the spec: it may have changed, or be gone.
nlohmann::json spec_given_by(std::vector<std::string> arguments, const Spec& spec) {
  CLI::App app;
  app.set_help_flag();
  RunOptions options;
  options.look = [&](const std::string& /*path*/, const OwnStreamOptions& asked) {
    OwnStream stream = spec.benchmark.own.value();
    stream.classes_per_task = asked.classes_per_task;
    stream.shape = {asked.colour == Colour::rgb ? 3 : 1, asked.height, asked.width};
    stream.test_fraction = asked.test_fraction;
    stream.skip_bad = asked.skip_bad;
    return stream;
  };
  options.add_to(app);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  app.parse(arguments);
  options.resolve();
  return to_json(options.specs().front());
}

// Keys of a spec are the options' names, but for these.
std::string option_for(const std::string& key) {
  static const std::map<std::string, std::string> others = {
      {"learning_rate", "--lr"},
      {"initialisation", "--init"},
      {"weights", "--init"},
      {"simulation_epochs", "--sim-epochs"},
      {"simulation_examples", "--sim-examples"},
      {"smallest_stride", "--min-stride"},
      {"largest_stride", "--max-stride"},
  };
  const auto at = others.find(key);
  if (at != others.end()) return at->second;
  std::string option = "--" + key;
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

std::string text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> parts;
  for (const nlohmann::json& part : value) parts.push_back(part.dump());
  return parts.empty() ? "none" : join(parts, ",");
}

}  // namespace

std::vector<std::string> arguments_for(const Spec& spec) {
  const nlohmann::json wanted = to_json(spec);
  std::vector<std::string> arguments = {spec.benchmark.name};
  if (spec.learner.name != "er")
    arguments.insert(arguments.end(), {"--learner", spec.learner.name});
  if (spec.policy != "none") arguments.insert(arguments.end(), {"--policy", spec.policy});
  // One at a time, for the value of one may depend on another's; first those that others need.
  std::vector<std::string> keys = {"colour", "tasks", "memory", "base"};
  for (const auto& [key, value] : wanted.items()) keys.push_back(key);
  for (std::size_t added = 0; added <= wanted.size(); ++added) {
    const nlohmann::json given = spec_given_by(arguments, spec);
    std::string differs;
    for (const std::string& key : keys) {
      if (!wanted.contains(key) || (given.contains(key) && given.at(key) == wanted.at(key)))
        continue;
      differs = key;
      break;
    }
    if (differs.empty()) return arguments;
    if (differs == "knows_length") {
      arguments.emplace_back("--unknown-length");
    } else if (differs == "skip_bad") {
      arguments.emplace_back("--skip-bad");
    } else if (differs == "augment") {
      arguments.emplace_back("--no-augment");
    } else {
      arguments.insert(arguments.end(), {option_for(differs), text_of(wanted.at(differs))});
    }
  }
  throw UsageError("there is no command for this spec");
}

std::string command_for(const std::vector<std::string>& arguments, std::uint64_t seed) {
  std::string command = "gpscl run";
  for (const std::string& word : arguments) command += " " + shell_quoted(word);
  return fmt::format("{} --seed {}", command, seed);
}

}  // namespace gps::cli
