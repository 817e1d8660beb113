#include "gps/experiments/planning/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gps/core/errors.h"

namespace gps {
namespace {

// The weights of a recipe, by the keys of the learners' options.
struct Weight {
  const char* key;
  double Recipe::*value;
};
constexpr Weight kWeights[] = {
    {"lambda", &Recipe::lambda}, {"alpha", &Recipe::alpha}, {"beta", &Recipe::beta}};

const Option* weight_option(const std::string& learner, const char* key) {
  return find_option(find(learner_catalog(), "learner", learner).options, key);
}

bool mixes(const std::string& policy) {
  return policy == "mixed" || policy.starts_with("mixed:") || policy == "gps" ||
         policy.starts_with("gps:");
}

double as_number(const OptionValue& value) {
  if (const int* whole = std::get_if<int>(&value)) return *whole;
  return std::get<double>(value);
}

}  // namespace

void Recipe::persist(Archive& archive) {
  archive(learner, learning_rate, lambda, alpha, beta, memory_batch, steps, policy, replays_current,
          codec);
}

Recipe recipe_of(const Method& method) {
  Recipe recipe;
  recipe.learner = method.learner.name;
  recipe.learning_rate = detail::shortest(method.learner.learning_rate);
  for (const Weight& weight : kWeights) {
    const Option* option = weight_option(recipe.learner, weight.key);
    recipe.*weight.value =
        option == nullptr ? 0 : as_number(value_in(method.learner.settings, *option));
  }
  recipe.memory_batch = method.learner.memory_batch;
  recipe.steps = method.training.steps;
  recipe.policy = policy_label(method.policy);
  const OptionValue* in_task = method.policy.settings.find("in_task");
  recipe.replays_current =
      mixes(recipe.policy) && in_task != nullptr && *in_task == OptionValue("running");
  recipe.codec = method.codec;
  return recipe;
}

Method with(Method method, const Recipe& recipe) {
  method.learner.name = find(learner_catalog(), "learner", recipe.learner).name;
  method.learner.learning_rate = static_cast<float>(recipe.learning_rate);
  for (const Weight& weight : kWeights)
    set_if_any(method.learner, weight.key, recipe.*weight.value);
  method.learner.memory_batch = recipe.memory_batch;
  method.training.steps = recipe.steps;
  if (policy_label(method.policy) != recipe.policy) {
    for (const PolicyEntry& entry : policy_catalog()) {
      for (const std::string& key : entry.variants) method.policy.settings.erase(key);
    }
    set_policy(method.policy, recipe.policy);
  }
  if (mixes(recipe.policy))
    method.policy.settings["in_task"] = std::string(recipe.replays_current ? "running" : "strict");
  method.codec = recipe.codec;
  return method;
}

Method for_trial(const Method& method, const Recipe& recipe) {
  Method made = with(method, recipe);
  if (made.policy.name == "gps") set_policy(made.policy, "mixed:0.5");
  return made;
}

const std::vector<RecipeKnob>& recipe_knobs() {
  static const std::vector<RecipeKnob> knobs = {
      {"learner", "er, der or der++", {"learner"}},
      {"lr", "the learning rate", {"lr"}},
      {"length", "the steps of a task", {"epochs", "steps"}},
      {"weights", "the weights of the learner's loss", {"lambda", "alpha", "beta"}},
      {"memory-batch", "the stored examples in each step", {"memory-batch"}},
      {"policy",
       "what the memory keeps, and whether the current task is replayed",
       {"policy", "ring", "in-task", "base"}},
      {"codec", "how many bytes an example gets, if the memory is counted in bytes", {"codec"}},
  };
  return knobs;
}

std::vector<std::string> knobs_from(const std::string& text) {
  std::vector<std::string> asked;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    asked.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  std::vector<std::string> known;
  for (const RecipeKnob& knob : recipe_knobs()) known.emplace_back(knob.name);
  if (asked == std::vector<std::string>{"all"}) return known;
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw OptionError("plan",
                        fmt::format("does not know '{}'; known: all, {}", name, join(known)));
    }
  }
  std::erase_if(known, [&](const std::string& name) {
    return std::find(asked.begin(), asked.end(), name) == asked.end();
  });
  return known;
}

std::string label_of(const Recipe& recipe) {
  std::string text = fmt::format("{}, lr {}", recipe.learner, recipe.learning_rate);
  for (const Weight& weight : kWeights) {
    const Option* option = weight_option(recipe.learner, weight.key);
    const bool is_plain = option != nullptr && recipe.learner == "er" && recipe.*weight.value == 1;
    if (option != nullptr && !is_plain)
      text += fmt::format(", {} {}", weight.key, recipe.*weight.value);
  }
  if (recipe.steps > 0) text += fmt::format(", {} steps", recipe.steps);
  text += fmt::format(", memory batch {}, {}", recipe.memory_batch, recipe.policy);
  if (recipe.replays_current) text += " running";
  if (recipe.codec != Recipe().codec) text += ", " + recipe.codec;
  return text;
}

nlohmann::json to_json(const Recipe& recipe) {
  nlohmann::json json = {{"learner", recipe.learner},
                         {"learning_rate", recipe.learning_rate},
                         {"memory_batch", recipe.memory_batch},
                         {"steps", recipe.steps},
                         {"policy", recipe.policy},
                         {"codec", recipe.codec}};
  for (const Weight& weight : kWeights) {
    if (weight_option(recipe.learner, weight.key) != nullptr)
      json[weight.key] = recipe.*weight.value;
  }
  if (mixes(recipe.policy)) json["in_task"] = recipe.replays_current ? "running" : "strict";
  return json;
}

Recipe recipe_from_json(const nlohmann::json& json) try {
  Recipe recipe;
  json.at("learner").get_to(recipe.learner);
  find(learner_catalog(), "learner", recipe.learner);
  json.at("learning_rate").get_to(recipe.learning_rate);
  json.at("memory_batch").get_to(recipe.memory_batch);
  json.at("steps").get_to(recipe.steps);
  json.at("policy").get_to(recipe.policy);
  json.at("codec").get_to(recipe.codec);
  for (const Weight& weight : kWeights) recipe.*weight.value = json.value(weight.key, 0.0);
  recipe.replays_current = json.value("in_task", std::string("strict")) == "running";
  return recipe;
} catch (const nlohmann::json::exception& error) {
  throw DataError(fmt::format("not a recipe: {}", error.what()));
} catch (const UsageError& error) {
  throw DataError(fmt::format("not a recipe: {}", error.what()));
}

}  // namespace gps
