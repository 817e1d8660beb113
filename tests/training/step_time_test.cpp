#include "gps/training/step_time.h"

#include <gtest/gtest.h>

#include "gps/learners/learner.h"
#include "gps/nn/catalog.h"
#include "support/tiny_data.h"

namespace gps {
namespace step_time_test {

std::unique_ptr<Learner> tiny_learner(const ImageShape& shape) {
  NetworkOptions network;
  network.hidden = {8};
  return make_learner({}, make_network(network, shape, 3, {}, Rng(1)));
}

TEST(StepSeconds, IsTheFastestOfAFewStepsAndChangesNothing) {
  const Task task{1, testing::tiny_dataset(3, 10, /*seed=*/1)};
  const std::unique_ptr<Learner> learner = tiny_learner(task.train.shape());
  const std::vector<float> before = network_of(*learner).state();
  const Memory memory(10, task.train.shape().bytes());
  double now = 0;
  int calls = 0;
  // Each step takes from one call to the next: 5, 3, 2 and 4 seconds.
  const std::vector<double> taken = {5, 3, 2, 4};
  const Clock clock = [&] {
    const auto k = static_cast<std::size_t>(calls / 2);
    if (calls++ % 2 == 1) now += taken.at(k);
    return now;
  };
  EXPECT_EQ(step_seconds(*learner, memory, task, {1, 4}, clock), 2);
  EXPECT_EQ(network_of(*learner).state(), before);
}

TEST(StepSeconds, IsMeasuredOnTasksSmallerThanABatch) {
  const Task task{1, testing::tiny_dataset(3, 1, /*seed=*/1)};
  const std::unique_ptr<Learner> learner = tiny_learner(task.train.shape());
  double now = 0;
  const Clock clock = [&] { return now += 1; };
  EXPECT_EQ(step_seconds(*learner, Memory(5, task.train.shape().bytes()), task, {1, 100}, clock),
            1);
}

}  // namespace step_time_test
}  // namespace gps
