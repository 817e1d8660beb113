#include "gps/training/health.h"

#include <gtest/gtest.h>

#include "support/tiny_data.h"

namespace gps {
namespace health_test {

using testing::tiny_dataset;

bool one_answer(const std::vector<std::size_t>& predicted, const GuessedTest& test) {
  return gives_one_answer(predicted, test);
}

TEST(AtChance, IsWhatGuessingReachesOnceInAHundredTimes) {
  // Of 80 images with a quarter each, guessing has 29 right with 1.66 %, 30 with 0.89 %.
  EXPECT_TRUE(is_at_chance(29.0 / 80, {80, 0.25}));
  EXPECT_FALSE(is_at_chance(30.0 / 80, {80, 0.25}));
  EXPECT_TRUE(is_at_chance(0, {80, 0.25})) << "worse than guessing is no better";
}

TEST(AtChance, HasASmallestAccuracyThatIsAboveIt) {
  EXPECT_EQ(least_above_guessing({80, 0.25}), 30.0 / 80);
  EXPECT_EQ(least_above_guessing({20, 0.25}), 11.0 / 20);
  EXPECT_EQ(least_above_guessing({40, 0.5}), 28.0 / 40);
  EXPECT_TRUE(can_tell_guessing({20, 0.25}));
  EXPECT_FALSE(can_tell_guessing({19, 0.25}));
  EXPECT_FALSE(can_tell_guessing({24, 0.5}));
  EXPECT_FALSE(can_tell_guessing({100, 1}));
}

TEST(AtChance, IsNotSaidOfTestsThatAreTooSmallToTell) {
  EXPECT_FALSE(is_at_chance(1, {4, 0.5}));
  EXPECT_FALSE(is_at_chance(0.5, {4, 0.5}));
  EXPECT_FALSE(is_at_chance(0.5, {24, 0.5})) << "guessing has 18 of 24 right with 1.1 %";
  EXPECT_TRUE(is_at_chance(0.5, {28, 0.5})) << "but 21 of 28 with 0.6 %";
  EXPECT_FALSE(is_at_chance(1, {100, 1})) << "one label only: there is nothing to learn";
}

TEST(AtChance, IsNeverSaidOfFewerThanTwentyImages) {
  // Guessing has 10 of 20 right with 1.4 %, 11 with 0.4 %.
  EXPECT_TRUE(is_at_chance(10.0 / 20, {20, 0.25}));
  EXPECT_FALSE(is_at_chance(11.0 / 20, {20, 0.25}));
  EXPECT_FALSE(is_at_chance(0, {19, 0.25}));
}

TEST(OneAnswer, IsThatOfAllImages) {
  EXPECT_TRUE(one_answer({40, 0}, {40, 0.5}));
  EXPECT_TRUE(one_answer({0, 0, 40}, {40, 0.5}));
  EXPECT_FALSE(one_answer({39, 1}, {40, 0.5}));
}

TEST(OneAnswer, ProvesNothingOnTestsThatAreTooSmallOrHaveHardlyAnotherLabel) {
  EXPECT_FALSE(one_answer({19, 0}, {19, 0.5}));
  EXPECT_TRUE(one_answer({20, 0}, {20, 0.5}));
  // Half-way right on 6 other images gives one answer with 0.5^6 = 1.6 %, on 7 with 0.8 %.
  EXPECT_FALSE(one_answer({100, 0}, {100, 0.94}));
  EXPECT_TRUE(one_answer({100, 0}, {100, 0.93}));
  EXPECT_FALSE(one_answer({100, 0}, {100, 1})) << "the only label there is";
}

TEST(Fall, IsByHalfOfWhatWasAboveGuessingBeyondChance) {
  // From 90 % with guessing at 10 %, half-way is 50 %: of 100 images, at most 37 are right with
  // 0.6 %, and at most 38 with 1.05 %.
  EXPECT_TRUE(fell_by_half(0.9, 0.37, {100, 0.1}));
  EXPECT_FALSE(fell_by_half(0.9, 0.38, {100, 0.1}));
  EXPECT_TRUE(fell_by_half(0.59, 0.101, {10000, 0.1}));
  EXPECT_FALSE(fell_by_half(0.9, 0.6, {10000, 0.1})) << "beyond chance, but not by much";
  EXPECT_FALSE(fell_by_half(0.1, 0, {10000, 0.1})) << "there was nothing to lose";
}

TEST(Fall, IsNeverSaidOfFewerThanTwentyImages) {
  // At most 4 of 20 are right with 0.6 %, at most 5 with 2.1 %; at most 3 of 19 with 0.2 %.
  EXPECT_TRUE(fell_by_half(0.9, 4.0 / 20, {20, 0.1}));
  EXPECT_FALSE(fell_by_half(0.9, 5.0 / 20, {20, 0.1}));
  EXPECT_FALSE(fell_by_half(0.9, 3.0 / 19, {19, 0.1}));
}

TEST(Guessed, IsTheShareOfTheMostFrequentLabel) {
  const GuessedTest equal = guessed(tiny_dataset(4, 20));
  EXPECT_EQ(equal.images, 80u);
  EXPECT_EQ(equal.guess, 0.25);
  EXPECT_EQ(guessed(tiny_dataset({10, 60, 30})).guess, 0.6);
  EXPECT_TRUE(is_at_chance(0.6, guessed(tiny_dataset({10, 60, 30}))))
      << "always the same answer, which is above a third";
  EXPECT_EQ(count_labels(tiny_dataset({10, 60, 30})), (std::vector<std::size_t>{10, 60, 30}));
}

TEST(Guessed, IsPooledByImages) {
  const std::vector<GuessedTest> tests = {{30, 0.5}, {10, 0.9}};
  EXPECT_EQ(pooled(tests).images, 40u);
  EXPECT_DOUBLE_EQ(pooled(tests).guess, 0.6);
}

}  // namespace health_test
}  // namespace gps
