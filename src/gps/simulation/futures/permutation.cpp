// Pseudo-tasks made by permuting the pixels of the current task. They are as hard as it is, and
// nothing transfers from it, as with the real tasks of the common benchmarks. This is the paper's
// choice. The permutations have their own random stream, so they are never those of P-MNIST itself.
#include "gps/data/transforms.h"
#include "gps/simulation/future.h"

namespace gps {
namespace {

class Permutation final : public Future {
 public:
  std::vector<Task> after(const Task& now, int count, std::size_t examples,
                          const Rng& rng) const override {
    std::vector<Task> tasks;
    for (int k = 1; k <= count; ++k) {
      const Dataset chosen = random_subset(now.train, examples, rng.fork("examples", k));
      const PixelMap map = random_pixel_map(chosen.shape(), rng.fork("permutation", k));
      Task task = now;
      task.number += k;
      task.train = chosen.rearranged(map).materialised();
      if (!now.augmentation.is_none()) task.arrangement = std::make_shared<const PixelMap>(map);
      tasks.push_back(std::move(task));
    }
    return tasks;
  }
};

}  // namespace

std::unique_ptr<Future> make_permutation() { return std::make_unique<Permutation>(); }

}  // namespace gps
