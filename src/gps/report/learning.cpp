#include "gps/report/learning.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "gps/core/statistics.h"
#include "gps/core/text/printable.h"
#include "gps/deployment/task_groups.h"
#include "gps/report/class_answers.h"
#include "gps/report/tables/table.h"
#include "gps/training/health.h"

namespace gps {
namespace {

std::string count_of(std::size_t count, const char* what, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? what : many);
}
std::string images(std::size_t count) { return count_of(count, "image", "images"); }
std::string classes(std::size_t count) { return count_of(count, "class", "classes"); }

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

Cell not_there() { return Cell::missing("–"); }

std::string shape_text(const ImageShape& shape) {
  return fmt::format("{} x {} {}", shape.height, shape.width,
                     shape.channels == 1 ? "grey" : "colour");
}

double megabytes(std::size_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::string day(std::int64_t when) {
  return when == 0 ? ""
                   : fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(static_cast<std::time_t>(when)));
}

std::string name_of(const LearnState& state, int task) {
  return fmt::format("{} {}", task,
                     printable(state.tasks.at(static_cast<std::size_t>(task) - 1).name));
}

std::string title(const LearnState& state, int first, int last) {
  return first == last ? "task " + name_of(state, first)
                       : fmt::format("tasks {} to {}", first, last);
}

// Returns how much the mean of this many answers may differ by chance, in points.
double chance(std::size_t examples) { return 100 / std::sqrt(static_cast<double>(examples)); }

// Accuracy of the tasks of a row directly after each was learnt, on all images held out then.
struct WhenLearnt {
  std::size_t images = 0;  // 0: the accuracies are not known
  double accuracy = 0;
  double among_all = 0;  // among all classes known then
};

WhenLearnt when_learnt(const TaskStanding& score, const LearnState& state) {
  WhenLearnt mean;
  for (int task = score.task; task <= score.last; ++task) {
    const TaskRecord& record = state.tasks.at(static_cast<std::size_t>(task) - 1);
    const auto images = static_cast<double>(record.tested);
    mean.images += record.tested;
    mean.accuracy += images * record.accuracy;
    mean.among_all += images * record.among_all;
  }
  if (mean.images == 0) return mean;
  mean.accuracy /= static_cast<double>(mean.images);
  mean.among_all /= static_cast<double>(mean.images);
  return mean;
}

// How an earlier task did at some time before.
struct Earlier {
  const TaskStanding* score;
  std::size_t images;  // the fewer of those tested then and now
  double accuracy;
  double among_all;
};

// Returns for example "± 32 points with 10 test images", or a range if tasks have different
// numbers.
std::string chance_text(const std::vector<Earlier>& tasks) {
  const auto [fewest, most] =
      std::minmax_element(tasks.begin(), tasks.end(),
                          [](const Earlier& a, const Earlier& b) { return a.images < b.images; });
  if (fewest->images == most->images) {
    return fmt::format("± {:.0f} points with {} of each task", chance(most->images),
                       count_of(most->images, "test image", "test images"));
  }
  return fmt::format("± {:.0f} to {:.0f} points with {} to {} test images of each task",
                     chance(most->images), chance(fewest->images), fewest->images, most->images);
}

// Returns a line with the tasks whose accuracy fell, and by how much each may differ by chance.
std::string fall_text(const std::string& since, const std::vector<Earlier>& tasks,
                      const LearnState& state) {
  if (tasks.empty()) return "";
  std::vector<std::string> among_all;
  std::vector<std::string> own;
  for (const Earlier& task : tasks) {
    const auto add = [&](std::vector<std::string>& lost, double before, double now) {
      if (now >= before) return;
      lost.push_back(fmt::format("{} ± {:.0f} points on {}", percent(before - now),
                                 chance(task.images),
                                 title(state, task.score->task, task.score->last)));
    };
    add(among_all, task.among_all, task.score->now.among_all);
    add(own, task.accuracy, task.score->now.accuracy);
  }
  std::vector<std::string> parts;
  if (!among_all.empty()) parts.push_back(join(among_all) + " (among all classes)");
  if (!own.empty()) parts.push_back(join(own) + " (among the task's own classes)");
  return fmt::format("forgotten {}: {}\n", since,
                     parts.empty() ? fmt::format("nothing measurable ({})", chance_text(tasks))
                                   : join(parts, "; ") + "; ± is what may be chance");
}

// What this call made worse, and what got worse since a task was learnt, for tasks that were learnt
// before the last call.
std::string forgotten_text(const LearnReport& report, const LearnState& state) {
  std::vector<Earlier> by_call;
  std::vector<Earlier> since_learnt;
  for (const TaskStanding& score : report.scores) {
    if (score.task == report.task) continue;
    if (score.before)
      by_call.push_back({&score, score.examples, score.before->accuracy, score.before->among_all});
    const WhenLearnt then = when_learnt(score, state);
    if (then.images == 0 || score.last >= report.task - 1) continue;
    since_learnt.push_back(
        {&score, std::min(then.images, score.examples), then.accuracy, then.among_all});
  }
  return fall_text("by this call", by_call, state) + fall_text("since learnt", since_learnt, state);
}

// Returns for example "12 of 24".
Cell knob_cell(const PlanKnob& knob, const Plan& plan, std::size_t quota) {
  const std::size_t value = plan.*knob.value;
  return knob.is_of_quota ? Cell::share(value, quota) : Cell::count(value);
}

// Returns for example "1, 2 and 3".
std::string enumerated(std::vector<std::string> parts) {
  if (parts.size() < 2) return join(parts);
  const std::string last = parts.back();
  parts.pop_back();
  return join(parts) + " and " + last;
}

// Returns "" if nothing was chosen: there was no search, or all images of the task fit.
std::string decision_text(const Decision& decision, std::size_t trained) {
  if (decision.trials.empty() || decision.quota >= trained) return "";
  std::vector<std::string> plans;
  std::vector<std::string> accuracies;
  for (const Trial& trial : decision.trials) {
    plans.push_back(short_text(trial.plan));
    accuracies.push_back(percent(trial.outcome.accuracy));
  }
  const Plan plan = within(decision.plan, decision.quota);
  std::vector<std::string> parts;
  std::vector<std::string> meanings;
  for (const PlanKnob& knob : plan_knobs()) {
    parts.push_back(fmt::format("{} of them {}", plan.*knob.value, knob.meaning));
    meanings.emplace_back(knob.meaning);
  }
  return fmt::format("memory of this task: {}, {}; simulated accuracy with {} {}: {} %\n",
                     images(decision.quota), join(parts), enumerated(plans), join(meanings, "/"),
                     enumerated(accuracies));
}

// Says that the new task has too few test images to find out whether the network guesses.
std::string unjudged_text(const LearnReport& report) {
  const TaskStanding& newest = report.scores.back();
  if (newest.task != report.task || newest.labels.empty()) return "";
  const GuessedTest test = guessed(newest.labels);
  if (test.guess >= 1 || can_tell_guessing(test)) return "";  // one label: nothing to judge
  return fmt::format("too few test images to judge whether the new task was learnt: {}\n",
                     test.images);
}

Cell when_learnt_cell(const TaskStanding& score, const LearnState& state) {
  const WhenLearnt then = when_learnt(score, state);
  return then.images == 0 ? not_there() : Cell::percent(then.among_all, 1);
}

Row row_of(const std::string& name, const TaskStanding& score, const Cell& then) {
  return {name,
          images(score.examples),
          then,
          score.before ? Cell::percent(score.before->among_all, 1) : not_there(),
          with_interval(score.now.among_all, score.examples),
          score.before ? Cell::percent(score.before->accuracy, 1) : not_there(),
          with_interval(score.now.accuracy, score.examples)};
}

// Returns the mean over all tested images.
TaskStanding over_all(const std::vector<TaskStanding>& scores) {
  TaskStanding all{.before = Tested{}, .now = {}};
  for (const TaskStanding& score : scores) all.examples += score.examples;
  const auto add = [](Tested& to, const Tested& from, double weight) {
    to.accuracy += weight * from.accuracy;
    to.among_all += weight * from.among_all;
  };
  for (const TaskStanding& score : scores) {
    const double weight = static_cast<double>(score.examples) / static_cast<double>(all.examples);
    add(all.now, score.now, weight);
    if (!score.before) all.before.reset();
    if (all.before) add(*all.before, *score.before, weight);
  }
  return all;
}

std::string untested_text(const LearnState& state) {
  const std::vector<TaskGroup> groups = tested_groups(state);
  const int first = groups.empty() ? static_cast<int>(state.tasks.size()) + 1 : groups[0].first;
  int last = 0;
  for (int task = 1; task < first; ++task) {
    if (state.tasks[static_cast<std::size_t>(task) - 1].tested > 0) last = task;
  }
  return last == 0 ? "" : title(state, 1, last) + ": no images left to test on\n";
}

std::string left_out_text(const LearnReport& report) {
  std::string text;
  if (report.not_trained > 0) {
    text += fmt::format("left out of training: {}, because {}\n", images(report.not_trained),
                        report.not_trained == 1 ? "it is a test image" : "they are test images");
  }
  if (report.not_tested > 0) {
    text += fmt::format("left out of testing: {}, because {}\n", images(report.not_tested),
                        report.not_tested == 1
                            ? "its class is not in this task or it was trained on before"
                            : "their class is not in this task or they were trained on before");
  }
  if (report.trained_before > 0) {
    text += fmt::format("trained on before: {} of the {}, so none of them is used for testing\n",
                        report.trained_before, images(report.trained));
  }
  return text;
}

// The stored images of one task, or of tasks that share: how many of each class are replayed, and
// how many are for testing.
struct HeldImages {
  std::map<Label, std::size_t> classes;
  std::size_t tests = 0;
};

// Keyed by first and last task; images for replay and for testing may be grouped differently.
std::map<std::pair<int, int>, HeldImages> held_images(const LearnState& state) {
  std::map<std::pair<int, int>, HeldImages> parts;
  for (const TaskGroup& group : replayed_groups(state)) {
    for (const Example& example : state.memory.examples()) {
      if (example.task == group.first) ++parts[{group.first, group.last}].classes[example.label];
    }
  }
  for (const TaskGroup& group : tested_groups(state))
    parts[{group.first, group.last}].tests = state.tests.count(group.first);
  return parts;
}

// Returns the classes of which no image is replayed, although the learner replays.
std::vector<std::string> classes_without_images(const LearnState& state) {
  if (!replays(state.options.method.learner.name)) return {};
  std::vector<bool> is_stored(state.classes.size());
  for (const Example& example : state.memory.examples()) is_stored[example.label] = true;
  std::vector<std::string> names;
  for (std::size_t label = 0; label < state.classes.size(); ++label) {
    if (!is_stored[label]) names.push_back(state.classes[label]);
  }
  return names;
}

// What is stored, and the budget: a number of images, or of bytes.
nlohmann::json stored_as_json(const LearnState& state) {
  nlohmann::json stored = {{"replay", state.memory.size()},
                           {"test", state.tests.size()},
                           {"bytes", bytes_in_memory(state)}};
  if (state.options.memory_bytes > 0) {
    stored["budget_bytes"] = state.options.memory_bytes;
  } else {
    stored["budget"] = state.options.memory;
  }
  return stored;
}

nlohmann::json memory_as_json(const LearnState& state) {
  nlohmann::json tasks = nlohmann::json::array();
  for (const auto& [range, part] : held_images(state)) {
    nlohmann::json replay = nlohmann::json::object();
    for (const auto& [label, count] : part.classes) replay[state.classes.at(label)] = count;
    tasks.push_back({{"task", range.first},
                     {"last_task", range.second},
                     {"name", state.tasks.at(static_cast<std::size_t>(range.first) - 1).name},
                     {"replay", replay},
                     {"test", part.tests}});
  }
  nlohmann::json stored = stored_as_json(state);
  stored["tasks"] = std::move(tasks);
  stored["classes_without_images"] = classes_without_images(state);
  return stored;
}

}  // namespace

std::size_t bytes_in_memory(const LearnState& state) {
  const std::size_t outputs = state.learner ? state.learner->classes() : 0;
  return state.memory.bytes(outputs) + state.tests.bytes(outputs);
}

std::string memory_text(const LearnState& state) {
  const std::map<std::pair<int, int>, HeldImages> parts = held_images(state);
  const std::size_t replay = state.memory.size();
  const std::size_t test = state.tests.size();
  const std::uint64_t budget = state.options.memory_bytes;
  std::string text =
      fmt::format("memory: {} = {} for replay + {} for testing ({:.2f} MB{}; limits: {} + {})\n",
                  images(replay + test), replay, test, megabytes(bytes_in_memory(state)),
                  budget == 0 ? "" : " of " + text_of(ByteCount{budget}), state.memory.capacity(),
                  state.tests.capacity());
  for (const auto& [tasks, part] : parts) {
    std::vector<std::string> held;
    for (const auto& [label, count] : part.classes)
      held.push_back(fmt::format("{} of '{}'", count, printable(state.classes.at(label))));
    std::vector<std::string> both;
    if (!held.empty()) both.push_back(join(held));
    if (part.tests > 0) both.push_back(fmt::format("{} for testing", part.tests));
    text += fmt::format("  {}: {}\n", title(state, tasks.first, tasks.second), join(both, "; "));
  }
  std::vector<std::string> missing;
  for (const std::string& name : classes_without_images(state))
    missing.push_back(fmt::format("'{}'", printable(name)));
  if (!missing.empty())
    text +=
        fmt::format("  no image for replay of {}: {}\n", classes(missing.size()), join(missing));
  return text;
}

std::string learnt_text(const LearnReport& report, const LearnState& state) {
  const TaskRecord& record = state.tasks.back();
  std::string text =
      fmt::format("task {}: trained on {} of {} in {} steps", name_of(state, report.task),
                  images(report.trained), classes(record.labels.size()), report.steps);
  text += report.new_classes.empty()
              ? fmt::format("; no new classes, {} in all\n", classes(state.classes.size()))
              : fmt::format("; new: {}; {} in all\n", printable(join(report.new_classes)),
                            classes(state.classes.size()));
  text += left_out_text(report);
  if (report.scores.empty()) {
    text += "not tested: no images are held out for testing\n";
  } else {
    Table table = {"accuracy %", "tested on",           "when learnt", "before",
                   "now",        "own classes: before", "now"};
    for (const TaskStanding& score : report.scores) {
      table.rows.push_back(
          row_of(title(state, score.task, score.last), score,
                 score.task == report.task ? not_there() : when_learnt_cell(score, state)));
    }
    if (report.scores.size() > 1)
      table.rows.push_back(row_of("all tasks", over_all(report.scores), Cell::nothing()));
    text += fmt::format(
        "\n{}among all classes, then among the task's own; 95 % intervals in brackets\n",
        text_table(table));
    text += forgotten_text(report, state) + untested_text(state) + unjudged_text(report) + "\n";
  }
  if (report.decision) text += decision_text(*report.decision, report.trained);
  return text + memory_text(state);
}

nlohmann::json to_json(const LearnReport& report, const LearnState& state) {
  const auto tested = [](const Tested& each) {
    return nlohmann::json{{"accuracy", each.accuracy}, {"among_all", each.among_all}};
  };
  nlohmann::json json = {{"task", report.task},
                         {"name", state.tasks.back().name},
                         {"trained_on", report.trained},
                         {"steps", report.steps},
                         {"not_trained", report.not_trained},
                         {"not_tested", report.not_tested},
                         {"trained_before", report.trained_before},
                         {"new_classes", report.new_classes},
                         {"classes", state.classes},
                         {"scores", nlohmann::json::array()},
                         {"memory", stored_as_json(state)}};
  for (const TaskStanding& score : report.scores) {
    nlohmann::json row = {{"task", score.task},
                          {"last_task", score.last},
                          {"name", state.tasks.at(static_cast<std::size_t>(score.task) - 1).name},
                          {"examples", score.examples},
                          {"now", tested(score.now)}};
    if (score.before) row["before"] = tested(*score.before);
    const WhenLearnt then = when_learnt(score, state);
    if (score.task != report.task && then.images > 0) {
      row["when_learnt"] = {
          {"examples", then.images}, {"accuracy", then.accuracy}, {"among_all", then.among_all}};
    }
    json["scores"].push_back(std::move(row));
  }
  if (!report.problems.empty()) json["problems"] = report.problems;
  if (report.decision) {
    json["decision"] = {{"quota", report.decision->quota}};
    for (const PlanKnob& knob : plan_knobs())
      json["decision"][knob.name] = report.decision->plan.*knob.value;
  }
  return json;
}

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
                      classes(state.classes.size()), printable(join(state.classes)));
  text += memory_text(state);
  if (tests.scores.empty()) return text + "no images are held out for testing\n";
  Table table = {"accuracy %", "tested on", "all classes", "its own classes"};
  const auto add = [&](const std::string& name, const TaskStanding& score) {
    table.rows.push_back({name, images(score.examples),
                          with_interval(score.now.among_all, score.examples),
                          with_interval(score.now.accuracy, score.examples)});
  };
  for (const TaskStanding& score : tests.scores) add(title(state, score.task, score.last), score);
  if (tests.scores.size() > 1) add("all tasks", over_all(tests.scores));
  return fmt::format("{}\non the held-out images; 95 % intervals in brackets\n{}\n{}", text,
                     text_table(table), per_class_text(tests.answers, state.classes));
}

std::string history_text(const LearnState& state) {
  Table table = {"task", "learnt (UTC)",    "trained on",   "classes",
                 "new",  "accuracy then %", "own classes %"};
  for (const PlanKnob& knob : plan_knobs()) table.columns.emplace_back(knob.meaning);
  for (std::size_t k = 0; k < state.tasks.size(); ++k) {
    const TaskRecord& record = state.tasks[k];
    const bool is_tested = record.tested > 0;
    Row row = {name_of(state, static_cast<int>(k) + 1),
               day(record.when),
               images(record.examples),
               Cell::count(record.labels.size()),
               Cell::count(record.new_classes),
               is_tested ? with_interval(record.among_all, record.tested) : not_there(),
               is_tested ? with_interval(record.accuracy, record.tested) : not_there()};
    for (const PlanKnob& knob : plan_knobs())
      row.push_back(record.quota == 0 ? not_there() : knob_cell(knob, record.plan, record.quota));
    table.rows.push_back(std::move(row));
  }
  return text_table(table);
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

nlohmann::json history_as_json(const LearnState& state) {
  nlohmann::json all = nlohmann::json::array();
  for (std::size_t k = 0; k < state.tasks.size(); ++k) {
    const TaskRecord& record = state.tasks[k];
    std::vector<std::string> names;
    for (const Label label : record.labels) names.push_back(state.classes.at(label));
    nlohmann::json task = {{"task", k + 1},
                           {"name", record.name},
                           {"learnt", record.when},
                           {"trained_on", record.examples},
                           {"classes", names},
                           {"new_classes", record.new_classes},
                           {"tested_on", record.tested}};
    if (record.tested > 0) {
      task["accuracy"] = record.accuracy;
      task["among_all"] = record.among_all;
    }
    if (record.quota > 0) {
      task["decision"] = {{"quota", record.quota}};
      for (const PlanKnob& knob : plan_knobs())
        task["decision"][knob.name] = record.plan.*knob.value;
    }
    all.push_back(std::move(task));
  }
  return all;
}

}  // namespace gps
