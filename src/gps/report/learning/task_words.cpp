#include "gps/report/learning/task_words.h"

#include <fmt/format.h>

#include "gps/core/text/printable.h"

namespace gps {

std::string count_of(std::size_t count, const char* what, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? what : many);
}
std::string images_text(std::size_t count) { return count_of(count, "image", "images"); }
std::string classes_text(std::size_t count) { return count_of(count, "class", "classes"); }

std::string percent_text(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string task_name(const LearnState& state, int task) {
  return fmt::format("{} {}", task,
                     printable(state.tasks.at(static_cast<std::size_t>(task) - 1).name));
}

std::string task_title(const LearnState& state, int first, int last) {
  return first == last ? "task " + task_name(state, first)
                       : fmt::format("tasks {} to {}", first, last);
}

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

}  // namespace gps
