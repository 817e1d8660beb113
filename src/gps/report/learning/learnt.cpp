#include "gps/report/learning/learnt.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gps/core/text/printable.h"
#include "gps/deployment/task_groups.h"
#include "gps/report/learning/class_answers.h"
#include "gps/report/learning/forgotten.h"
#include "gps/report/learning/stored_images.h"
#include "gps/report/learning/task_words.h"
#include "gps/report/tables/table.h"
#include "gps/training/health.h"

namespace gps {
namespace {

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
    accuracies.push_back(percent_text(trial.outcome.accuracy));
  }
  const Plan plan = within(decision.plan, decision.quota);
  std::vector<std::string> parts;
  std::vector<std::string> meanings;
  for (const PlanKnob& knob : plan_knobs()) {
    parts.push_back(fmt::format("{} of them {}", plan.*knob.value, knob.meaning));
    meanings.emplace_back(knob.meaning);
  }
  return fmt::format("memory of this task: {}, {}; simulated accuracy with {} {}: {} %\n",
                     images_text(decision.quota), join(parts), enumerated(plans),
                     join(meanings, "/"), enumerated(accuracies));
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
  return then.images == 0 ? Cell::missing("–") : Cell::percent(then.among_all, 1);
}

Row row_of(const std::string& name, const TaskStanding& score, const Cell& then) {
  return {name,
          images_text(score.examples),
          then,
          score.before ? Cell::percent(score.before->among_all, 1) : Cell::missing("–"),
          with_interval(score.now.among_all, score.examples),
          score.before ? Cell::percent(score.before->accuracy, 1) : Cell::missing("–"),
          with_interval(score.now.accuracy, score.examples)};
}

std::string untested_text(const LearnState& state) {
  const std::vector<TaskGroup> groups = tested_groups(state);
  const int first = groups.empty() ? static_cast<int>(state.tasks.size()) + 1 : groups[0].first;
  int last = 0;
  for (int task = 1; task < first; ++task) {
    if (state.tasks[static_cast<std::size_t>(task) - 1].tested > 0) last = task;
  }
  return last == 0 ? "" : task_title(state, 1, last) + ": no images left to test on\n";
}

std::string left_out_text(const LearnReport& report) {
  std::string text;
  if (report.not_trained > 0) {
    text += fmt::format("left out of training: {}, because {}\n", images_text(report.not_trained),
                        report.not_trained == 1 ? "it is a test image" : "they are test images");
  }
  if (report.not_tested > 0) {
    text += fmt::format("left out of testing: {}, because {}\n", images_text(report.not_tested),
                        report.not_tested == 1
                            ? "its class is not in this task or it was trained on before"
                            : "their class is not in this task or they were trained on before");
  }
  if (report.trained_before > 0) {
    text += fmt::format("trained on before: {} of the {}, so none of them is used for testing\n",
                        report.trained_before, images_text(report.trained));
  }
  return text;
}

}  // namespace

std::string learnt_text(const LearnReport& report, const LearnState& state) {
  const TaskRecord& record = state.tasks.back();
  std::string text =
      fmt::format("task {}: trained on {} of {} in {} steps", task_name(state, report.task),
                  images_text(report.trained), classes_text(record.labels.size()), report.steps);
  text += report.new_classes.empty()
              ? fmt::format("; no new classes, {} in all\n", classes_text(state.classes.size()))
              : fmt::format("; new: {}; {} in all\n", printable(join(report.new_classes)),
                            classes_text(state.classes.size()));
  text += left_out_text(report);
  if (report.scores.empty()) {
    text += "not tested: no images are held out for testing\n";
  } else {
    Table table = {"accuracy %", "tested on",           "when learnt", "before",
                   "now",        "own classes: before", "now"};
    for (const TaskStanding& score : report.scores) {
      table.rows.push_back(
          row_of(task_title(state, score.task, score.last), score,
                 score.task == report.task ? Cell::missing("–") : when_learnt_cell(score, state)));
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

}  // namespace gps
