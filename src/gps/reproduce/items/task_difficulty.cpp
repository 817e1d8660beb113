#include <limits>

#include "gps/reproduce/items/difficulties.h"

namespace gps {
namespace {

Finding judge_task_difficulty(const Question& question, const Evidence& evidence) {
  const std::string name = paper_name(question.benchmark);
  const Difficulties real = difficulties(question, evidence, "real");
  Section section{name + ": accuracy of tasks learnt alone, percent", difficulty_table("tasks"),
                  nlohmann::json::array()};
  add_rows(section, real, "task-difficulty", name);
  return {{section},
          {difficulty_levels("the accuracies of tasks learnt alone", real, "task-difficulty", name,
                             question),
           judge_between("tasks are of similar difficulty", real.variance,
                         -std::numeric_limits<double>::infinity(), 3)}};
}

}  // namespace

Item make_task_difficulty() {
  return {"task-difficulty",
          "The difficulty of tasks",
          "Table 3, Appendix C.1",
          "Each task is learnt alone from the same first weights, by plain gradient descent with "
          "the settings of a run. The variance is over the five tasks. \"Similar\" means a "
          "variance of at most 3; the largest printed one is 2.18.",
          {"p-mnist", "s-cifar-10", "s-cifar-100", "tiny-imagenet"},
          {"p-mnist"},
          {},
          judge_task_difficulty,
          [](const Question& question) {
            Analyses all;
            all.difficulties = difficulty_analyses(question, "real");
            return all;
          }};
}

}  // namespace gps
