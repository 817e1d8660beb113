#include "gps/report/learning/status.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gps/core/text/printable.h"
#include "gps/report/learning/class_answers.h"
#include "gps/report/learning/stored_images.h"
#include "gps/report/learning/task_words.h"
#include "gps/report/tables/table.h"

namespace gps {
namespace {

std::string shape_text(const ImageShape& shape) {
  return fmt::format("{} x {} {}", shape.height, shape.width,
                     shape.channels == 1 ? "grey" : "colour");
}

}  // namespace

std::string status_text(const LearnState& state, const StateTests& tests) {
  const Method& method = state.options.method;
  const std::size_t weights = network_of(*state.learner).parameters().size();
  std::string text = fmt::format(
      "{} of {} weights, images {}; learner {}, policy {}, {} in batches of {}, learning "
      "rate {}\n",
      is_file(method.network.model) ? "a model of your own" : method.network.model, weights,
      shape_text(state.options.shape), method.learner.name,
      method.policy.name == "none" ? "none" : policy_label(method.policy),
      method.training.epochs == 1 ? "1 epoch" : fmt::format("{} epochs", method.training.epochs),
      method.training.batch, method.learner.learning_rate);
  if (state.options.has_backbone()) {
    text += fmt::format("it learns from {} features of each image, which {} computes\n",
                        state.options.features, kBackboneFile);
  }
  const std::string& codec = method.codec;
  if (codec != Method().codec) {
    text += fmt::format("replayed images are stored as {}, in {} bytes each\n", codec,
                        state.memory.stored_bytes());
  }
  text += fmt::format("{} learnt, {}: {}\n", count_of(state.tasks.size(), "task", "tasks"),
                      classes_text(state.classes.size()), printable(join(state.classes)));
  text += memory_text(state);
  if (tests.scores.empty()) return text + "no images are held out for testing\n";
  Table table = {"accuracy %", "tested on", "all classes", "its own classes"};
  const auto add = [&](const std::string& name, const TaskStanding& score) {
    table.rows.push_back({name, images_text(score.examples),
                          with_interval(score.now.among_all, score.examples),
                          with_interval(score.now.accuracy, score.examples)});
  };
  for (const TaskStanding& score : tests.scores)
    add(task_title(state, score.task, score.last), score);
  if (tests.scores.size() > 1) add("all tasks", over_all(tests.scores));
  return fmt::format("{}\non the held-out images; 95 % intervals in brackets\n{}\n{}", text,
                     text_table(table), per_class_text(tests.answers, state.classes));
}

nlohmann::json status_as_json(const LearnState& state, const StateTests& tests) {
  nlohmann::json scores = nlohmann::json::array();
  for (const TaskStanding& score : tests.scores) {
    scores.push_back({{"task", score.task},
                      {"last_task", score.last},
                      {"name", state.tasks.at(static_cast<std::size_t>(score.task) - 1).name},
                      {"examples", score.examples},
                      {"accuracy", score.now.accuracy},
                      {"among_all", score.now.among_all}});
  }
  const Method& method = state.options.method;
  const ImageShape& shape = state.options.shape;
  nlohmann::json json = {
      {"model", method.network.model},
      {"weights", network_of(*state.learner).parameters().size()},
      {"image", {{"height", shape.height}, {"width", shape.width}, {"channels", shape.channels}}},
      {"learner", method.learner.name},
      {"policy", method.policy.name == "none" ? "none" : policy_label(method.policy)},
      {"epochs", method.training.epochs},
      {"batch", method.training.batch},
      {"learning_rate", detail::shortest(method.learner.learning_rate)},
      {"tasks", state.tasks.size()},
      {"classes", state.classes},
      {"codec", method.codec},
      {"memory", memory_as_json(state)},
      {"scores", std::move(scores)},
      {"per_class", per_class_as_json(tests.answers, state.classes)},
      {"confusion", confusion_as_json(tests.answers, state.classes)}};
  if (state.options.has_backbone()) json["features"] = state.options.features;
  return json;
}

}  // namespace gps
