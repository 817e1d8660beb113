// A team divides the candidates of a search, and each member learns of all outcomes.
#include <gtest/gtest.h>

#include <atomic>

#include "gps/nn/mlp/fused_mlp.h"
#include "gps/simulation/gps_policy.h"
#include "support/passing_learner.h"
#include "support/thread_team.h"
#include "support/tiny_data.h"

namespace gps {
namespace gps_team_test {

// Counts the futures that it is asked to imagine.
class CountingLearner final : public testing::PassingLearner {
 public:
  CountingLearner(std::unique_ptr<Learner> inner, std::atomic<std::size_t>& imagined)
      : PassingLearner(std::move(inner)), imagined_(imagined) {}
  std::unique_ptr<Learner> imagine() const override {
    ++imagined_;
    return inner_->imagine();
  }

 private:
  std::atomic<std::size_t>& imagined_;
};

struct Search {
  std::size_t imagined = 0;
  std::size_t told = 0;  // of candidates done
  std::vector<Trial> trials;
  Plan plan;
};

// The search after the first of four tasks.
Search search(Team* team, std::uint64_t seed) {
  BenchmarkOptions stream;
  stream.tasks = 4;
  const auto benchmark = testing::TinySource(stream).stream(1);
  std::atomic<std::size_t> imagined = 0;
  std::atomic<std::size_t> told = 0;
  const std::vector<std::size_t> sizes = {benchmark->shape().bytes(), 10, 4};
  CountingLearner learner(
      make_learner({}, std::make_unique<FusedMlp>(sizes, Initialisation::xavier, Rng(1))),
      imagined);
  SimulationOptions options;
  options.tasks = 4;
  options.examples = 30;
  options.objective = Objective::loss;  // which has fewer ties
  options.stride.stride = 2;
  Executor executor(1);
  const auto policy = make_gps(options, make_permutation(), executor,
                               {nullptr, [&](const Plan&, const Outcome&) { ++told; }, team});
  Memory memory(60, benchmark->shape().bytes());
  const Task task = benchmark->task(1);
  train_task(learner, *policy, memory, task, {.epochs = 1, .batch = 10}, Rng(1));
  tell_end(*policy, memory, task, learner, Rng(seed));
  const Decision decision = policy->decisions().at(0);
  return {imagined, told, decision.trials, decision.plan};
}

TEST(GpsInATeam, DividesTheCandidatesAndFindsTheSame) {
  std::size_t longest = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Search alone = search(nullptr, seed);
    EXPECT_EQ(alone.imagined, alone.trials.size());
    longest = std::max(longest, alone.trials.size());
    for (const std::size_t members : {2u, 3u}) {
      const auto searches = testing::in_a_team(members, [seed](Team& team) {
        return team.together([&] { return search(&team, seed); });
      });
      std::size_t all = 0;
      for (const Search& each : searches) all += each.imagined;
      for (const Search& each : searches) {
        EXPECT_EQ(each.plan, alone.plan);
        ASSERT_EQ(each.trials.size(), alone.trials.size());
        for (std::size_t k = 0; k < alone.trials.size(); ++k) {
          EXPECT_EQ(each.trials[k].plan, alone.trials[k].plan);
          EXPECT_EQ(each.trials[k].outcome.loss, alone.trials[k].outcome.loss);
          EXPECT_EQ(each.trials[k].outcome.accuracy, alone.trials[k].outcome.accuracy);
        }
        EXPECT_EQ(each.told, all);
        EXPECT_LE(each.imagined, all / members + 2);  // the last round may have one too few
      }
    }
  }
  EXPECT_GE(longest, 5u) << "too short a search to tell anything";
}

}  // namespace gps_team_test
}  // namespace gps
