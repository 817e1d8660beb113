#include "gps/experiments/planning/race.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace gps {
namespace {

struct Mark {
  int task;
  double distance;  // behind the best, at which a recipe is stopped here
};

std::vector<Mark> marks_of(int tasks) {
  std::vector<Mark> marks;
  if (tasks >= 8) marks.push_back({tasks / 4, 0.20});
  if (tasks >= 4) marks.push_back({tasks / 2, 0.08});
  marks.push_back({tasks, 1});
  return marks;
}

}  // namespace

Race::Race(const Stage& stage, Executor& executor, Done done)
    : stage_(stage), executor_(executor), done_(std::move(done)) {}

std::vector<Finish> Race::run(std::span<const Recipe> recipes) {
  std::vector<std::unique_ptr<Rehearsal>> runners(recipes.size());
  std::vector<Finish> ends(recipes.size());
  std::vector<std::size_t> left(recipes.size());
  for (std::size_t k = 0; k < left.size(); ++k) left[k] = k;
  const std::size_t examples = stage_.stream.examples();
  for (const Mark& mark : marks_of(stage_.stream.tasks())) {
    executor_.for_each(left.size(), [&](std::size_t nth) {
      const std::size_t k = left[nth];
      if (!runners[k]) runners[k] = std::make_unique<Rehearsal>(recipes[k], stage_);
      runners[k]->advance(mark.task);
      ends[k] = {runners[k]->accuracy(), mark.task, mark.task == stage_.stream.tasks(),
                 work_of(recipes[k], stage_.method, examples) * mark.task};
    });
    double& best = best_at_[mark.task];
    for (const std::size_t k : left) best = std::max(best, ends[k].accuracy);
    std::erase_if(left, [&](std::size_t k) {
      const bool is_lost = !runners[k]->is_alive() || ends[k].accuracy < best - mark.distance;
      if (is_lost) runners[k].reset();
      return is_lost;
    });
  }
  for (std::size_t k = 0; k < recipes.size() && done_; ++k) done_(recipes[k], ends[k]);
  return ends;
}

}  // namespace gps
