// Pseudo-tasks made by permuting the pixels of the current task. They are as hard as it is, and
// nothing transfers from it, as with the real tasks of the common benchmarks. This is the paper's
// choice. The permutations have their own random stream, so they are never those of P-MNIST itself.
#include "gps/data/transforms.h"
#include "gps/simulation/futures/transformed.h"

namespace gps {

std::unique_ptr<Future> make_permutation() {
  return make_transformed([](Task& task, int k, const Rng& rng) {
    const PixelMap map = random_pixel_map(task.train.shape(), rng.fork("permutation", k));
    task.train = task.train.rearranged(map).materialised();
    if (!task.augmentation.is_none()) task.arrangement = std::make_shared<const PixelMap>(map);
  });
}

}  // namespace gps
