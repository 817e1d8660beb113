// A classifier that goes on learning, with networks of LibTorch.
#include "gps/deployment/learn.h"

#include <gtest/gtest.h>

#include "gps/training/trainer.h"
#include "support/tiny_data.h"

namespace gps {
namespace learn_test {

// The classes 2k-2 and 2k-1 in images of 16 x 16, of which the convnet makes 256 features.
NewTask week_of_convnet(int k) {
  const auto last = static_cast<std::size_t>(2 * k);
  std::vector<std::size_t> counts(last, 0);
  counts[last - 2] = counts[last - 1] = 30;
  NewTask task{.name = "week"};
  for (std::size_t c = 0; c < last; ++c) task.classes.push_back(std::to_string(c));
  task.train = testing::tiny_dataset(counts, static_cast<std::uint64_t>(k), 16);
  return task;
}

TEST(LearnWithConvnet, DoesNotDivergeAtTheUsualLearningRate) {
  for (const char* learner : {"er", "der", "der++"}) {
    SCOPED_TRACE(learner);
    LearnOptions options = learn_options(learner, "reservoir", "convnet");
    options.memory = 50;
    options.shape = {1, 16, 16};
    settle(options);
    LearnState state(options);
    Executor executor(1);
    for (int k = 1; k <= 2; ++k) learn(state, week_of_convnet(k), executor);
    const Dataset fresh = testing::tiny_dataset(4, 10, /*seed=*/99, 16);
    EXPECT_GT(test(state, fresh, labels_in(fresh)).among_all, 0.5) << "chance is a quarter";
  }
}

TEST(LearnWithConvnet, SaysSoWhereItDiverges) {
  LearnOptions options = learn_options("der++", "reservoir", "convnet");
  options.memory = 50;
  options.shape = {1, 16, 16};
  options.method.learner.settings["alpha"] = 100.0;
  settle(options);
  LearnState state(options);
  Executor executor(1);
  EXPECT_THROW(learn(state, week_of_convnet(1), executor), Diverged);
}

}  // namespace learn_test
}  // namespace gps
