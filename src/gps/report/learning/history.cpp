#include "gps/report/learning/history.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gps/report/learning/class_answers.h"
#include "gps/report/learning/task_words.h"
#include "gps/report/tables/table.h"

namespace gps {
namespace {

std::string day(std::int64_t when) {
  return when == 0 ? ""
                   : fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(static_cast<std::time_t>(when)));
}

// Returns for example "12 of 24".
Cell knob_cell(const PlanKnob& knob, const Plan& plan, std::size_t quota) {
  const std::size_t value = plan.*knob.value;
  return knob.is_of_quota ? Cell::share(value, quota) : Cell::count(value);
}

}  // namespace

std::string history_text(const LearnState& state) {
  Table table = {"task", "learnt (UTC)",    "trained on",   "classes",
                 "new",  "accuracy then %", "own classes %"};
  for (const PlanKnob& knob : plan_knobs()) table.columns.emplace_back(knob.meaning);
  for (std::size_t k = 0; k < state.tasks.size(); ++k) {
    const TaskRecord& record = state.tasks[k];
    const bool is_tested = record.tested > 0;
    Row row = {task_name(state, static_cast<int>(k) + 1),
               day(record.when),
               images_text(record.examples),
               Cell::count(record.labels.size()),
               Cell::count(record.new_classes),
               is_tested ? with_interval(record.among_all, record.tested) : Cell::missing("–"),
               is_tested ? with_interval(record.accuracy, record.tested) : Cell::missing("–")};
    for (const PlanKnob& knob : plan_knobs())
      row.push_back(record.quota == 0 ? Cell::missing("–")
                                      : knob_cell(knob, record.plan, record.quota));
    table.rows.push_back(std::move(row));
  }
  return text_table(table);
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
