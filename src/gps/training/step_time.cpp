#include "gps/training/step_time.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace gps {

double step_seconds(const Learner& learner, const Memory& memory, const Task& task,
                    const TrainOptions& options, const Clock& clock) {
  constexpr int kSteps = 4;  // the first of which may have to prepare buffers
  const std::unique_ptr<Learner> copy = learner.imagine();
  copy->begin_task(task, memory, Rng(0));
  Rng rng(0);
  Batch batch;
  const std::size_t size =
      std::min(static_cast<std::size_t>(std::max(1, options.batch)), task.train.size());
  std::vector<std::uint32_t> rows(size);
  std::iota(rows.begin(), rows.end(), 0u);
  double fastest = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double start = clock();
    batch.gather(task, rows, {});
    copy->observe(batch, memory, rng);
    const double taken = clock() - start;
    fastest = step == 0 ? taken : std::min(fastest, taken);
  }
  return fastest;
}

}  // namespace gps
