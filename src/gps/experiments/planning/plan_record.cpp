#include "gps/experiments/planning/plan_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gps/core/errors.h"

namespace gps {
namespace {

nlohmann::json choice_json(const RecipeChoice& choice) {
  nlohmann::json trials = nlohmann::json::array();
  for (const RecipeTrial& trial : choice.trials) {
    trials.push_back({{"recipe", to_json(trial.recipe)},
                      {"accuracy", trial.score},
                      {"complete", trial.is_complete},
                      {"work", trial.work}});
  }
  nlohmann::json json = {{"task", choice.task},
                         {"recipe", to_json(choice.recipe)},
                         {"trials", std::move(trials)},
                         {"work", choice.work},
                         {"pass", choice.pass}};
  if (choice.expected) {
    json["expected"] = {{"accuracy", choice.expected->accuracy},
                        {"low", choice.expected->low},
                        {"high", choice.expected->high}};
  }
  return json;
}

RecipeChoice choice_from(const nlohmann::json& json) {
  RecipeChoice choice;
  json.at("task").get_to(choice.task);
  choice.recipe = recipe_from_json(json.at("recipe"));
  for (const nlohmann::json& trial : json.at("trials")) {
    choice.trials.push_back({recipe_from_json(trial.at("recipe")),
                             trial.at("accuracy").get<double>(), trial.at("complete").get<bool>(),
                             trial.at("work").get<double>()});
  }
  json.at("work").get_to(choice.work);
  json.at("pass").get_to(choice.pass);
  if (json.contains("expected")) {
    const nlohmann::json& expected = json.at("expected");
    choice.expected = {expected.at("accuracy").get<double>(), expected.at("low").get<double>(),
                       expected.at("high").get<double>()};
  }
  return choice;
}

}  // namespace

nlohmann::json to_json(const PlanRecord& record) {
  nlohmann::json choices = nlohmann::json::array();
  for (const RecipeChoice& choice : record.choices) choices.push_back(choice_json(choice));
  return {{"choices", std::move(choices)}};
}

PlanRecord plan_record_from_json(const nlohmann::json& json) try {
  PlanRecord record;
  for (const nlohmann::json& choice : json.at("choices")) {
    record.choices.push_back(choice_from(choice));
    const int before = record.choices.size() > 1 ? record.choices.end()[-2].task : 0;
    if (record.choices.back().task <= before)
      throw DataError("the choices of a plan are not in the order of their tasks");
  }
  return record;
} catch (const nlohmann::json::exception& error) {
  throw DataError(fmt::format("not a plan: {}", error.what()));
}

std::vector<std::string> describe(const RecipeChoice& choice) {
  std::vector<std::string> lines = {fmt::format("plan for task {}{}: {}", choice.task,
                                                choice.expected ? " and all later ones" : "",
                                                label_of(choice.recipe))};
  if (choice.expected) {
    lines.push_back(fmt::format(
        "expected accuracy after the last task: {:.1f} % ({:.1f} to {:.1f})",
        100 * choice.expected->accuracy, 100 * choice.expected->low, 100 * choice.expected->high));
  }
  constexpr std::size_t kShown = 3;
  std::size_t shown = 0;
  for (const RecipeTrial& trial : choice.trials) {
    if (!trial.is_complete || trial.recipe == choice.recipe || shown == kShown) continue;
    lines.push_back(
        fmt::format("runner-up: {:.1f} %: {}", 100 * trial.score, label_of(trial.recipe)));
    ++shown;
  }
  if (!choice.trials.empty())
    lines.push_back(fmt::format("tried: {} settings, with the work of {:.0f} steps",
                                choice.trials.size(), choice.work));
  return lines;
}

}  // namespace gps
