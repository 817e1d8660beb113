#include "gps/report/learning/forgotten.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gps/core/text/text.h"
#include "gps/report/learning/task_words.h"

namespace gps {
namespace {

// Returns how much the mean of this many answers may differ by chance, in points.
double chance(std::size_t examples) { return 100 / std::sqrt(static_cast<double>(examples)); }

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
      lost.push_back(fmt::format("{} ± {:.0f} points on {}", percent_text(before - now),
                                 chance(task.images),
                                 task_title(state, task.score->task, task.score->last)));
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

}  // namespace

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

}  // namespace gps
