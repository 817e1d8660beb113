// What is planned: the options of `gpscl run --plan`.
#pragma once

#include "gps/core/option_table.h"
#include "gps/experiments/method.h"

namespace gps {

// What the user is judged by, if tasks have classes of their own.
enum class JudgedBy {
  task,    // accuracy among the classes of the task
  classes  // accuracy among all classes
};

struct PlanningOptions {
  std::string knobs;  // as knobs_from() reads them; empty: nothing is planned
  JudgedBy judged_by = JudgedBy::classes;
  int horizon = 0;  // how many tasks are imagined, the first included; 0: all tasks of the stream
  int budget = 0;   // percent of the steps of the run without a plan that planning may take; 0: 50

  bool operator==(const PlanningOptions&) const = default;
};
const OptionTable<PlanningOptions>& planning_options();

// Throws UsageError if this method cannot be planned: its learner keeps no memory, or trains on all
// tasks at once.
void check_can_be_planned(const Method& method, const PlanningOptions& options);

}  // namespace gps
