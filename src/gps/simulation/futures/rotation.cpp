// Pseudo-tasks made by rotating the current task, the k-th by 15·k degrees (section 5.2, A17). They
// are as hard as it is, but so similar to it that little is forgotten.
#include "gps/data/transforms.h"
#include "gps/simulation/futures/transformed.h"

namespace gps {

std::unique_ptr<Future> make_rotation() {
  constexpr double kDegreesPerTask = 15;
  return make_transformed([](Task& task, int k, const Rng& /*rng*/) {
    task.train = rotated(task.train, kDegreesPerTask * k);
  });
}

}  // namespace gps
