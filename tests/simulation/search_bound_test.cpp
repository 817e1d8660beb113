#include "gps/simulation/search_bound.h"

#include <gtest/gtest.h>

#include <set>

#include "gps/core/rng.h"

namespace gps {
namespace search_bound_test {

SimulationOptions of_unknown_length() {
  SimulationOptions options;
  options.tasks = 0;
  return options;
}

TEST(MostCandidates, AreAsManyAsNoSearchExceeds) {
  const SimulationOptions options = of_unknown_length();
  Rng rng(1);
  for (const std::size_t quota : {1u, 2u, 3u, 7u, 20u, 64u, 133u, 400u}) {
    for (const std::size_t capacity : {quota, 2 * quota, 10 * quota}) {
      const SearchSize size{.task = 2, .capacity = capacity, .quota = quota, .examples = 10'000};
      const std::size_t most = most_candidates(options, size);
      EXPECT_LE(most, quota + 1);
      const SearchSteps steps = search_steps(capacity, 2, options);
      for (int trial = 0; trial < 50; ++trial) {  // scores without any order: the longest searches
        std::set<std::size_t> asked;
        search_switching_point(plans_up_to(quota), steps.stride, Objective::accuracy,
                               [&](std::span<const Plan> plans) {
                                 std::vector<Outcome> outcomes;
                                 for (const Plan& plan : plans) {
                                   asked.insert(plan.ring_size);
                                   outcomes.push_back({.loss = 1, .accuracy = rng.uniform()});
                                 }
                                 return outcomes;
                               });
        EXPECT_LE(asked.size(), most) << quota << " of " << capacity;
      }
    }
  }
}

TEST(MostCandidates, AreMoreIfIdleWorkersHelp) {
  const SimulationOptions options = of_unknown_length();
  SearchSize size{.task = 2, .capacity = 1000, .quota = 500, .examples = 10'000};
  const std::size_t alone = most_candidates(options, size);
  size.workers = 2;  // three plans a round are two batches of two
  EXPECT_EQ(most_candidates(options, size), alone / 3 * 4);
}

TEST(MostCandidates, AreNoneWhereEverythingFits) {
  const SearchSize all{.task = 1, .capacity = 100, .quota = 60, .examples = 60};
  EXPECT_EQ(most_candidates(of_unknown_length(), all), 0u);
  SimulationOptions known;
  known.tasks = 5;
  EXPECT_GT(most_candidates(known, all), 0u) << "where the length is known, as the paper does";
  EXPECT_EQ(most_candidates(known, {.task = 5, .capacity = 100, .quota = 20, .examples = 60}), 0u)
      << "nothing follows the last task";
}

TEST(StepsOfCandidate, AreThoseOfAllPseudoTasks) {
  SimulationOptions options = of_unknown_length();
  options.examples = 100;
  options.training = {/*epochs=*/2, /*batch=*/10};
  EXPECT_EQ(steps_of_candidate(options, 3, 1000), 10u * 2 * 10);
  EXPECT_EQ(steps_of_candidate(options, 3, 35), 10u * 2 * 4) << "a task with few examples";
}

}  // namespace search_bound_test
}  // namespace gps
