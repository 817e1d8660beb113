#include "gps/simulation/steady_choice.h"

#include <gmock/gmock.h>

#include <limits>

namespace gps {
namespace steady_choice_test {

using ::testing::ElementsAre;

// A decision in which the shares none, half and all reached these accuracies.
Decision decision(double none, double half, double all) {
  Decision made{.task = 1, .plan = {}, .quota = 10, .trials = {}};
  const std::vector<Plan> plans = steady_plans(10);
  const std::array values = {none, half, all};
  for (std::size_t k = 0; k < plans.size(); ++k)
    made.trials.push_back({plans[k], {.loss = 1, .accuracy = values[k]}});
  return made;
}

TEST(SteadyChoice, SimulatesNoneHalfAndAllOfTheQuota) {
  EXPECT_THAT(steady_plans(10), ElementsAre(Plan{0}, Plan{5}, Plan{10}));
  EXPECT_THAT(steady_plans(1), ElementsAre(Plan{0}, Plan{1}, Plan{1}));
}

TEST(SteadyChoice, IsAllWithoutEvidence) {
  EXPECT_EQ(steady_share({}), 1);
  const std::vector<Decision> silent = {{.task = 1, .plan = {}, .quota = 3, .trials = {}}};
  EXPECT_EQ(steady_share(silent), 1);
}

// The prior is worth four observations of half a point: gains must add up to more than two points.
TEST(SteadyChoice, MovesWhenGainsOutweighThePrior) {
  const std::vector<Decision> too_little = {decision(0.5, 0.519, 0.5)};
  const std::vector<Decision> enough = {decision(0.5, 0.521, 0.5)};
  EXPECT_EQ(steady_share(too_little), 1);
  EXPECT_EQ(steady_share(enough), 0.5);
  const std::vector<Decision> three(3, decision(0.508, 0.501, 0.5));
  EXPECT_EQ(steady_share(three), 0) << "a small gain that lasts";
}

TEST(SteadyChoice, ALargeLossInOneTaskIsNotForgotten) {
  const std::vector<Decision> some = {decision(0.3, 0.5, 0.6), decision(0.65, 0.6, 0.6),
                                      decision(0.65, 0.6, 0.6)};
  EXPECT_EQ(steady_share(some), 1);
}

TEST(SteadyChoice, DeadSimulationsSayNothing) {
  Decision dead = decision(0.9, 0.9, 0);
  dead.trials.back().outcome.loss = std::numeric_limits<double>::infinity();
  EXPECT_EQ(steady_share(std::vector<Decision>{dead}), 1);
}

}  // namespace steady_choice_test
}  // namespace gps
