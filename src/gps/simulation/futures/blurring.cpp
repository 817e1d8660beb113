// Pseudo-tasks made by blurring the current task with a 5 x 5 Gaussian filter, the k-th with
// standard deviation 0.5·k (section 5.2; the paper says "growing" and gives no numbers, A17). They
// become harder and harder.
#include "gps/data/transforms.h"
#include "gps/simulation/future.h"

namespace gps {
namespace {

constexpr double kSigmaPerTask = 0.5;

class Blurring final : public Future {
 public:
  std::vector<Task> after(const Task& now, int count, std::size_t examples,
                          const Rng& rng) const override {
    std::vector<Task> tasks;
    for (int k = 1; k <= count; ++k) {
      const Dataset chosen = random_subset(now.train, examples, rng.fork("examples", k));
      tasks.push_back(
          {now.number + k, blurred(chosen, kSigmaPerTask * k), now.labels, now.augmentation});
    }
    return tasks;
  }
};

}  // namespace

std::unique_ptr<Future> make_blurring() { return std::make_unique<Blurring>(); }

}  // namespace gps
