// States that version 0.1.0 wrote are used as its own program used them.
#include <gmock/gmock.h>

#include <cmath>

#include "gps/deployment/learn.h"
#include "gps/deployment/predict.h"
#include "gps/deployment/state_folder.h"
#include "support/temporary_folder.h"
#include "support/version_010.h"

namespace gps {
namespace state_of_010_test {

using ::testing::ElementsAre;

class StateOf010 : public ::testing::Test {
 protected:
  StateOf010() { testing::write_state_010(folder_.path()); }

  // Checks the probabilities of `left` by hand, for images of two pixels.
  static void expect_its_answers(LearnState& state) {
    const std::vector<std::uint8_t> images = {255, 0, 0, 255};
    const std::vector<const std::uint8_t*> rows = {images.data(), images.data() + 2};
    const auto guesses = predict(state, rows, /*top=*/2);
    ASSERT_EQ(guesses.size(), 2u);
    EXPECT_EQ(guesses[0][0].label, 0);  // scores 2 and -0.5
    EXPECT_NEAR(guesses[0][0].probability, 1 / (1 + std::exp(-2.5)), 1e-5);
    EXPECT_NEAR(guesses[1][0].probability, 0.5, 1e-5);  // scores 1 and 1
  }

  testing::TemporaryFolder temporary_{testing::in_memory()};
  StateFolder folder_{temporary_.path() / "state"};
};

TEST_F(StateOf010, AnswersAndRemembersAsBefore) {
  LearnState state = folder_.load();
  expect_its_answers(state);
  EXPECT_THAT(state.classes, ElementsAre("left", "right"));
  ASSERT_EQ(state.tasks.size(), 1u);
  EXPECT_EQ(state.tasks[0].name, "week1");
  EXPECT_EQ(state.tasks[0].plan.ring_size, 3u);
  EXPECT_EQ(state.tasks[0].quota, 4u);
  EXPECT_EQ(state.tasks[0].data, "12-0-d424ae72");
  EXPECT_EQ(state.options.method.learner.name, "der");
  EXPECT_EQ(policy_label(state.options.method.policy), "gps:permutation");
  EXPECT_EQ(state.options.method.learner.learning_rate, 0.03f);
  ASSERT_EQ(state.memory.size(), 2u);
  EXPECT_EQ(state.memory.capacity(), 4u);
  std::vector<float> logits(2);
  state.memory.read_logits(state.memory[0], logits);
  EXPECT_THAT(logits, ElementsAre(2.0f, -0.5f));
  EXPECT_EQ(state.tests.size(), 1u);
}

TEST_F(StateOf010, LearnsOnAndGoesBack) {
  StopFlag stop;
  const FileLock lock = lock_state(folder_.path(), {}, stop);
  LearnState state = folder_.load();
  std::vector<std::uint8_t> pixels;
  std::vector<Label> labels;
  for (int k = 0; k < 12; ++k) {  // bright images are a new class
    pixels.insert(pixels.end(), 2, static_cast<std::uint8_t>(k % 2 == 0 ? 255 - k : k));
    labels.push_back(k % 2 == 0 ? 2 : 3);
  }
  NewTask task{.name = "week2", .classes = {"left", "right", "bright", "dark"}};
  task.train = Dataset({1, 1, 2}, pixels, labels, 4);
  Executor executor(1);
  learn(state, task, executor);
  folder_.commit(state);
  EXPECT_EQ(folder_.newest(), 2);
  EXPECT_THAT(folder_.load().classes, ElementsAre("left", "right", "bright", "dark"));
  EXPECT_EQ(folder_.rollback(), 1);
  LearnState before = folder_.load();
  expect_its_answers(before);
}

}  // namespace state_of_010_test
}  // namespace gps
