#include "gps/experiments/planning/planning_options.h"

#include <fmt/format.h>

#include "gps/experiments/planning/recipe.h"

namespace gps {

const OptionTable<PlanningOptions>& planning_options() {
  static const OptionTable<PlanningOptions> table = {
      option("plan", &PlanningOptions::knobs,
             "let imagined futures choose: all, or some of learner,lr,length,weights,memory-batch,"
             "policy,codec; what is given stays")
          .called("KNOBS")
          .silent(),
      choice("plan_for", &PlanningOptions::judged_by,
             {{"class", JudgedBy::classes}, {"task", JudgedBy::task}},
             "plan for accuracy among all classes, or among those of the task")
          .flag("for")
          .silent(),
      option("plan_tasks", &PlanningOptions::horizon,
             "tasks that are imagined, the first included; 1: tune on the first task alone")
          .between(0, 1000)
          .usually("0: all tasks of the stream")
          .silent(),
      option("plan_budget", &PlanningOptions::budget,
             "work of planning, in percent of the steps of the run without a plan")
          .between(0, 10000)
          .usually("150; 75 from 20 tasks on; at least 40 short trials")
          .silent(),
  };
  return table;
}

void check_can_be_planned(const Method& method, const PlanningOptions& options) {
  if (options.knobs.empty()) return;
  knobs_from(options.knobs);
  const std::string& learner = method.learner.name;
  if (learner != "er" && learner != "der" && learner != "der++") {
    throw OptionError("plan", fmt::format("works with the learners er, der and der++, but "
                                          "`learner` is {}",
                                          learner));
  }
}

}  // namespace gps
