// Pseudo-tasks made by blurring the current task with a 5 x 5 Gaussian filter, the k-th with
// standard deviation 0.5·k (section 5.2; the paper says "growing" and gives no numbers, A17). They
// become harder and harder.
#include "gps/data/transforms.h"
#include "gps/simulation/futures/transformed.h"

namespace gps {

std::unique_ptr<Future> make_blurring() {
  constexpr double kSigmaPerTask = 0.5;
  return make_transformed([](Task& task, int k, const Rng& /*rng*/) {
    task.train = blurred(task.train, kSigmaPerTask * k);
  });
}

}  // namespace gps
