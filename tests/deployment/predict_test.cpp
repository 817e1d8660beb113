#include "gps/deployment/predict.h"

#include <gmock/gmock.h>

#include "deployment/weeks.h"

namespace gps {
namespace predict_test {

using testing::week;

std::vector<const std::uint8_t*> images_of(const Dataset& data) {
  std::vector<const std::uint8_t*> images;
  for (std::size_t row = 0; row < data.size(); ++row) images.push_back(data.image(row, {}));
  return images;
}

TEST(Predict, GivesProbabilitiesOfAllClassesTheLikeliestFirst) {
  Executor executor(1);
  LearnState state(testing::tiny_options());
  learn(state, week(1), executor);
  learn(state, week(2), executor);
  const Dataset data = testing::tiny_dataset(4, 10, 50);
  const auto guesses = predict(state, images_of(data), 10);
  ASSERT_EQ(guesses.size(), 40u);
  std::size_t right = 0;
  for (std::size_t row = 0; row < guesses.size(); ++row) {
    ASSERT_EQ(guesses[row].size(), 4u);
    float sum = 0;
    float last = 1;
    for (const Guess& guess : guesses[row]) {
      sum += guess.probability;
      EXPECT_LE(guess.probability, last);
      last = guess.probability;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    right += guesses[row][0].label == data.label(row) ? 1 : 0;
  }
  EXPECT_EQ(static_cast<double>(right) / 40, test(state, data, labels_in(data)).among_all);
  EXPECT_EQ(predict(state, images_of(data), 1)[0].size(), 1u);
}

TEST(Predict, IsTheSoftmaxOfTheLogits) {
  Executor executor(1);
  LearnState state(testing::tiny_options());
  learn(state, week(1), executor);
  const Dataset data = testing::tiny_dataset(2, 1);
  std::vector<float> logits(4);
  network_of(*state.learner).logits(images_of(data), logits);
  const auto guesses = predict(state, images_of(data), 2);
  const double expected = 1 / (1 + std::exp(static_cast<double>(logits[1] - logits[0])));
  const double found =
      static_cast<double>(guesses[0][guesses[0][0].label == 0 ? 0 : 1].probability);
  EXPECT_NEAR(found, expected, 1e-6);
}

}  // namespace predict_test
}  // namespace gps
