#include "gps/experiments/planning/race.h"

#include <gtest/gtest.h>

#include "gps/nn/mlp/fused_mlp.h"
#include "support/tiny_data.h"

namespace gps {
namespace race_test {

class RaceTest : public ::testing::Test {
 protected:
  RaceTest() {
    method.network.hidden = {16};
    method.memory = 24;
    method.training = {/*epochs=*/1, /*batch=*/10};
  }

  static Recipe recipe(const std::string& learner, double rate, int steps) {
    Recipe made;
    made.learner = learner;
    made.learning_rate = rate;
    made.alpha = learner == "er" ? 0 : 0.5;
    made.lambda = learner == "er" ? 1 : 0;
    made.steps = steps;
    return made;
  }
  std::vector<Finish> run(const std::vector<Recipe>& recipes, int workers = 1) {
    Executor executor(workers);
    return Race(stage, executor).run(recipes);
  }

  Task first{1, testing::tiny_dataset(4, 60)};
  Method method;
  ImaginedStream stream{first, /*tasks=*/8, /*tested=*/60, Rng(3)};
  Stage stage{stream,
              method,
              4,
              [](const Rng& rng) {
                return std::make_unique<FusedMlp>(std::vector<std::size_t>{36, 16, 4},
                                                  Initialisation::xavier, rng);
              },
              Rng(5),
              nullptr};
};

TEST_F(RaceTest, AGoodRecipeReachesMoreThanOneThatLearnsNothing) {
  const auto ends = run({recipe("er", 0.1, 30), recipe("er", 1e-6, 30)});
  EXPECT_TRUE(ends[0].is_complete);
  EXPECT_GT(ends[0].accuracy, 0.6);
  EXPECT_LT(ends[1].accuracy, 0.5);
}

TEST_F(RaceTest, ADeadNetworkHasNoAccuracyAndIsNotContinued) {
  const auto ends = run({recipe("er", 0.1, 30), recipe("der", 1000, 30)});
  EXPECT_EQ(ends[1].accuracy, 0);
  EXPECT_FALSE(ends[1].is_complete);
  EXPECT_LT(ends[1].tasks, 8);
}

TEST_F(RaceTest, HasTheSameResultForAnyNumberOfWorkers) {
  std::vector<Recipe> recipes;
  for (const double rate : {0.001, 0.01, 0.1})
    for (const char* learner : {"er", "der"}) recipes.push_back(recipe(learner, rate, 20));
  const auto one = run(recipes);
  for (const int workers : {2, 4}) {
    const auto several = run(recipes, workers);
    for (std::size_t k = 0; k < recipes.size(); ++k) {
      EXPECT_EQ(several[k].accuracy, one[k].accuracy);
      EXPECT_EQ(several[k].tasks, one[k].tasks);
    }
  }
}

TEST_F(RaceTest, ARecipeHasTheSameResultWhoeverRunsBesideIt) {
  const auto alone = run({recipe("er", 0.1, 30)});
  const auto beside = run({recipe("der", 0.03, 30), recipe("er", 0.1, 30)});
  EXPECT_EQ(beside[1].accuracy, alone[0].accuracy);
}

TEST_F(RaceTest, CountsTheWorkOfTheTasksThatItWentThrough) {
  const auto ends = run({recipe("er", 0.1, 30)});
  EXPECT_EQ(ends[0].work, 30 * 8);
  Recipe more = recipe("er", 0.1, 30);
  more.memory_batch = 30;  // 10 + 30 rows in a step, instead of 10 + 10
  EXPECT_EQ(run({more})[0].work, 2 * 30 * 8);
}

TEST_F(RaceTest, APausedRehearsalGoesOnAsIfItHadNotPaused) {
  const Recipe some = recipe("der", 0.05, 15);
  Rehearsal whole(some, stage);
  whole.advance(8);
  Rehearsal parts(some, stage);
  for (const int task : {1, 2, 5, 8}) {
    parts.advance(task);
    parts.accuracy();
  }
  EXPECT_EQ(parts.accuracy(), whole.accuracy());
}

TEST_F(RaceTest, ARehearsalEndsWhenItIsStopped) {
  StopFlag stop;
  stop.request();
  stage.stop = &stop;
  Rehearsal rehearsal(recipe("er", 0.1, 30), stage);
  EXPECT_THROW(rehearsal.advance(1), Interrupted);
}

}  // namespace race_test
}  // namespace gps
