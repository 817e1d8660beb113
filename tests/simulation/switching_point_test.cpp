#include "gps/simulation/switching_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace gps {
namespace switching_point_test {

std::vector<std::size_t> ring_sizes_of(std::span<const Plan> plans) {
  std::vector<std::size_t> sizes;
  for (const Plan& plan : plans) sizes.push_back(plan.ring_size);
  return sizes;
}

// A score to search, which notes what it was asked for.
class Curve {
 public:
  explicit Curve(std::function<Outcome(std::size_t)> at) : at_(std::move(at)) {}

  SearchResult search(std::size_t upper, std::size_t stride,
                      Objective objective = Objective::accuracy, std::size_t nearby = 0) {
    return search_switching_point(
        plans_up_to(upper), stride, objective,
        [this](std::span<const Plan> plans) {
          const std::vector<std::size_t> points = ring_sizes_of(plans);
          if (calls > 0) surprises += count_surprises(points);
          std::vector<Outcome> outcomes;
          for (const std::size_t point : points) {
            asked.push_back(point);
            outcomes.push_back(at_(point));
          }
          ++calls;
          return outcomes;
        },
        [this](std::span<const Plan> plans) {
          foreseen_before = foreseen;
          foreseen = ring_sizes_of(plans);
        },
        nearby);
  }

  std::vector<std::size_t> asked;
  std::vector<std::size_t> foreseen;  // before the points asked for last
  std::vector<std::size_t> foreseen_before;
  std::size_t surprises = 0;  // points asked for, after the first ones, that were not foreseen
  int calls = 0;

 private:
  std::size_t count_surprises(std::span<const std::size_t> points) const {
    return static_cast<std::size_t>(
        std::count_if(points.begin(), points.end(), [this](std::size_t point) {
          return std::find(foreseen_before.begin(), foreseen_before.end(), point) ==
                 foreseen_before.end();
        }));
  }

  std::function<Outcome(std::size_t)> at_;
};

// Strictly increasing up to the peak and decreasing after it, with these slopes.
Curve tent(std::size_t peak, double rise, double fall) {
  return Curve([=](std::size_t point) {
    const auto x = static_cast<double>(point) - static_cast<double>(peak);
    const double height = x < 0 ? rise * x : -fall * x;
    return Outcome{-height, height};
  });
}

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

// Calls check(upper, stride, peak, rise, fall) for many of each.
template <typename Check>
void for_many_tents(const Check& check) {
  for (const std::size_t upper : {0U, 1U, 2U, 3U, 5U, 7U, 10U, 20U, 33U, 100U, 137U, 1000U}) {
    for (const std::size_t stride : {1U, 2U, 3U, 5U, 10U, 20U, 40U, 100U, 200U, 5000U}) {
      for (std::size_t peak = 0; peak <= upper; peak += 1 + upper / 40) {
        for (const auto& [rise, fall] : {std::pair{1.0, 1.0}, {9.0, 1.0}, {1.0, 9.0}}) {
          SCOPED_TRACE(::testing::Message()
                       << "upper " << upper << ", stride " << stride << ", peak " << peak
                       << ", slopes " << rise << " " << fall);
          check(upper, stride, peak, rise, fall);
        }
      }
    }
  }
}

TEST(SwitchingPoint, IsWithinAStrideOfThePeak) {
  for_many_tents(
      [](std::size_t upper, std::size_t stride, std::size_t peak, double rise, double fall) {
        const SearchResult found = tent(peak, rise, fall).search(upper, stride);
        EXPECT_LE(distance(found.plan.ring_size, peak), stride);
      });
}

TEST(SwitchingPoint, IsWithinAStrideOfTheLeastLoss) {
  for_many_tents(
      [](std::size_t upper, std::size_t stride, std::size_t peak, double rise, double fall) {
        const SearchResult found = tent(peak, rise, fall).search(upper, stride, Objective::loss);
        EXPECT_LE(distance(found.plan.ring_size, peak), stride);
      });
}

TEST(SwitchingPoint, AsksForEachPointOnceAndInsideOnly) {
  for_many_tents(
      [](std::size_t upper, std::size_t stride, std::size_t peak, double rise, double fall) {
        Curve curve = tent(peak, rise, fall);
        const SearchResult found = curve.search(upper, stride);
        const std::set<std::size_t> points(curve.asked.begin(), curve.asked.end());
        EXPECT_EQ(points.size(), curve.asked.size()) << "a point was asked for twice";
        EXPECT_LE(*points.rbegin(), upper);
        EXPECT_TRUE(points.contains(found.plan.ring_size));
        // Three points at each of log2(upper/stride) + 1 middles, give or take a rounding.
        const double halvings = std::log2(static_cast<double>(upper + 1) /
                                          static_cast<double>(std::min(stride, upper + 1)));
        EXPECT_LE(static_cast<double>(points.size()), 3 * (halvings + 2));
      });
}

TEST(SwitchingPoint, ForeseesEveryPointItAsksForAfterTheFirstOnes) {
  for_many_tents(
      [](std::size_t upper, std::size_t stride, std::size_t peak, double rise, double fall) {
        Curve curve = tent(peak, rise, fall);
        curve.search(upper, stride);
        EXPECT_EQ(curve.surprises, 0u);
      });
}

TEST(SwitchingPoint, DoesNotAskAgainNearbyAndEndsWithinAStrideAndThat) {
  for_many_tents(
      [](std::size_t upper, std::size_t stride, std::size_t peak, double rise, double fall) {
        const std::size_t nearby = stride / 4;
        Curve curve = tent(peak, rise, fall);
        const SearchResult result = curve.search(upper, stride, Objective::accuracy, nearby);
        Curve strict = tent(peak, rise, fall);
        strict.search(upper, stride);
        EXPECT_LE(curve.asked.size(), strict.asked.size());
        EXPECT_LE(distance(result.plan.ring_size, peak), stride + 2 * nearby);
      });
}

TEST(SwitchingPoint, LetsAProbeStandForItsNeighbours) {
  // 0 .. 100 with stride 20: 50, 30, 70; then 25 (30 stands for it), 5 and 45 (50 stands for it);
  // then 12 (no probe within 5), 0 (5 stands for it), 32 (30 stands for it).
  Curve curve = tent(0, 1, 1);
  const SearchResult result = curve.search(100, 20, Objective::accuracy, 5);
  EXPECT_EQ(curve.asked, (std::vector<std::size_t>{50, 30, 70, 5, 12}));
  EXPECT_EQ(result.plan.ring_size, 5u);
}

TEST(SwitchingPoint, ReturnsItsProbesInTheOrderOfAsking) {
  Curve curve = tent(70, 1, 1);
  const SearchResult found = curve.search(100, 10);
  ASSERT_EQ(found.trials.size(), curve.asked.size());
  for (std::size_t k = 0; k < found.trials.size(); ++k) {
    const Trial& trial = found.trials[k];
    EXPECT_EQ(trial.plan.ring_size, curve.asked[k]);
    EXPECT_EQ(trial.outcome.accuracy, -static_cast<double>(distance(trial.plan.ring_size, 70)));
    EXPECT_EQ(trial.outcome.loss, -trial.outcome.accuracy);
  }
}

TEST(SwitchingPoint, ReachesBothEnds) {
  for (const std::size_t upper : {1U, 2U, 5U, 10U, 37U, 100U, 1000U}) {
    for (const std::size_t stride : {1U, 2U, 5U, 20U, 100U, 3000U}) {
      EXPECT_EQ(tent(0, 1, 1).search(upper, stride).plan.ring_size, 0u);
      EXPECT_EQ(tent(upper, 1, 1).search(upper, stride).plan.ring_size, upper);
    }
  }
}

TEST(SwitchingPoint, StopsAtOnceOnAFlatCurve) {
  Curve flat([](std::size_t) { return Outcome{1, 0.5}; });
  EXPECT_EQ(flat.search(100, 20).plan.ring_size, 50u);
  EXPECT_EQ(flat.asked, (std::vector<std::size_t>{50, 30, 70}));
}

constexpr Outcome kDead{std::numeric_limits<double>::infinity(), 0};

TEST(SwitchingPoint, IsTheMiddleWhereEveryNetworkIsDead) {
  for (const Objective objective : {Objective::accuracy, Objective::loss}) {
    Curve dead([](std::size_t) { return kDead; });
    EXPECT_EQ(dead.search(100, 20, objective).plan.ring_size, 50u);
    EXPECT_EQ(dead.search(4, 20, objective).plan.ring_size, 2u);
  }
}

TEST(SwitchingPoint, IsNeverThatOfADeadNetworkWhereAnotherIsAlive) {
  for (const Objective objective : {Objective::accuracy, Objective::loss}) {
    for (const std::size_t alive : {30U, 50U, 70U}) {
      // Alive, and yet with no right answer and a large loss.
      Curve curve([&](std::size_t point) { return point == alive ? Outcome{100, 0} : kDead; });
      EXPECT_EQ(curve.search(100, 20, objective).plan.ring_size, alive);
    }
  }
}

TEST(SwitchingPoint, AsksForTheThreePointsOfAMiddleTogether) {
  Curve curve = tent(50, 1, 1);
  curve.search(100, 20);
  EXPECT_EQ(curve.calls, 1);
}

TEST(SwitchingPoint, GoesToTheBetterSideWhereBothAreBetter) {
  const auto valley = [](double left, double right) {
    return Curve([=](std::size_t point) {
      return Outcome{0, point < 50 ? left : point > 50 ? right : 0.0};
    });
  };
  Curve to_the_right = valley(0.2, 0.3);
  to_the_right.search(100, 10);
  EXPECT_EQ(to_the_right.asked[3], 75u);
  Curve to_the_left = valley(0.3, 0.2);
  to_the_left.search(100, 10);
  EXPECT_EQ(to_the_left.asked[3], 25u);
}

TEST(SwitchingPoint, ReturnsTheBestPointTriedEvenIfTheSearchWentElsewhere) {
  // Up to the right of the first middle, but nothing there beats the first step's point.
  Curve curve([](std::size_t point) {
    return Outcome{0, point == 60 ? 0.9 : point == 50 ? 0.5 : 0.1};
  });
  EXPECT_EQ(curve.search(100, 10).plan.ring_size, 60u);
}

TEST(SwitchingPoint, BreaksTiesByTheOtherMeasure) {
  Curve by_loss([](std::size_t point) { return Outcome{point == 70 ? 0.1 : 0.2, 0.5}; });
  EXPECT_EQ(by_loss.search(100, 20).plan.ring_size, 70u);
  Curve by_accuracy([](std::size_t point) { return Outcome{1, point == 30 ? 0.6 : 0.5}; });
  EXPECT_EQ(by_accuracy.search(100, 20, Objective::loss).plan.ring_size, 30u);
}

TEST(SwitchingPoint, BreaksFurtherTiesByNearnessToTheLastMiddle) {
  // 40 beats 50, so the search goes on to 25, 15 and 35, all as good as 40: 25 is the last middle.
  Curve curve([](std::size_t point) { return Outcome{1, point >= 50 ? 0.4 : 0.5}; });
  EXPECT_EQ(curve.search(100, 10).plan.ring_size, 25u);
}

TEST(SwitchingPoint, FollowsItsObjectiveWhereTheTwoDisagree) {
  const auto outcome = [](std::size_t point) {
    const auto x = static_cast<double>(point);
    return Outcome{std::abs(x - 80), -std::abs(x - 20)};
  };
  EXPECT_LE(distance(Curve(outcome).search(100, 5, Objective::accuracy).plan.ring_size, 20), 5u);
  EXPECT_LE(distance(Curve(outcome).search(100, 5, Objective::loss).plan.ring_size, 80), 5u);
}

TEST(SwitchingPoint, TriesTheEndsAndTheMiddleWhereTheStrideIsTooLong) {
  Curve curve = tent(5, 1, 1);
  EXPECT_EQ(curve.search(5, 6).plan.ring_size, 5u);
  std::sort(curve.asked.begin(), curve.asked.end());
  EXPECT_EQ(curve.asked, (std::vector<std::size_t>{0, 2, 5}));
}

TEST(SwitchingPoint, KnowsOfAPlanOnlyItsPlaceOnTheLine) {
  // From the whole memory down to nothing, in steps of three.
  const PlanLine line{40, [](std::size_t at) { return Plan{.ring_size = 120 - 3 * at}; }, {}};
  const auto score = [](std::span<const Plan> plans) {
    std::vector<Outcome> outcomes;
    for (const std::size_t size : ring_sizes_of(plans))
      outcomes.push_back({0, -static_cast<double>(distance(size, 30))});
    return outcomes;
  };
  const SearchResult found = search_switching_point(line, 4, Objective::accuracy, score);
  EXPECT_LE(distance(found.plan.ring_size, 30), 4u * 3);
  for (const Trial& trial : found.trials) EXPECT_EQ(trial.plan.ring_size % 3, 0u);
}

TEST(SwitchingPoint, HasOnePointToTryWhereThereIsNoMemory) {
  for (const std::size_t stride : {1U, 10U}) {
    Curve curve = tent(0, 1, 1);
    EXPECT_EQ(curve.search(0, stride).plan.ring_size, 0u);
    EXPECT_EQ(curve.asked, std::vector<std::size_t>{0});
  }
}

TEST(SwitchingPoint, EndsOnAnyCurve) {
  // Noise with no shape at all, and the shortest stride.
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Curve noise([seed](std::size_t point) {
      return Outcome{0, Rng(seed).fork("point", point).uniform()};
    });
    const std::size_t upper = 1 + seed;
    const SearchResult found = noise.search(upper, 1);
    EXPECT_LE(noise.asked.size(), upper + 1);
    for (const Trial& trial : found.trials) {
      const double best = Rng(seed).fork("point", found.plan.ring_size).uniform();
      EXPECT_LE(trial.outcome.accuracy, best);
    }
  }
}

TEST(SwitchingPoint, IsTheSameForPointsScoredTogetherOrOneByOne) {
  for (const std::size_t peak : {0U, 13U, 77U, 100U}) {
    Curve together = tent(peak, 1, 2);
    const SearchResult a = together.search(100, 7);
    // The same curve behind a score that works backwards through what it is asked for.
    const SearchResult b = search_switching_point(
        plans_up_to(100), 7, Objective::accuracy, [&](std::span<const Plan> plans) {
          const std::vector<std::size_t> points = ring_sizes_of(plans);
          std::vector<Outcome> outcomes(points.size());
          for (std::size_t k = points.size(); k-- > 0;) {
            const double x = static_cast<double>(points[k]) - static_cast<double>(peak);
            const double height = x < 0 ? x : -2 * x;
            outcomes[k] = {-height, height};
          }
          return outcomes;
        });
    EXPECT_EQ(a.plan.ring_size, b.plan.ring_size);
    ASSERT_EQ(a.trials.size(), b.trials.size());
    for (std::size_t k = 0; k < a.trials.size(); ++k) {
      EXPECT_EQ(a.trials[k].plan.ring_size, b.trials[k].plan.ring_size);
    }
  }
}

}  // namespace switching_point_test
}  // namespace gps
