// Pseudo-tasks made by rotating the current task, the k-th by 15·k degrees (section 5.2, A17). They
// are as hard as it is, but so similar to it that little is forgotten.
#include "gps/data/transforms.h"
#include "gps/simulation/future.h"

namespace gps {
namespace {

constexpr double kDegreesPerTask = 15;

class Rotation final : public Future {
 public:
  std::vector<Task> after(const Task& now, int count, std::size_t examples,
                          const Rng& rng) const override {
    std::vector<Task> tasks;
    for (int k = 1; k <= count; ++k) {
      const Dataset chosen = random_subset(now.train, examples, rng.fork("examples", k));
      tasks.push_back(
          {now.number + k, rotated(chosen, kDegreesPerTask * k), now.labels, now.augmentation});
    }
    return tasks;
  }
};

}  // namespace

std::unique_ptr<Future> make_rotation() { return std::make_unique<Rotation>(); }

}  // namespace gps
