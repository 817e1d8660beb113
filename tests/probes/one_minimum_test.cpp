#include "gps/probes/one_minimum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gps/core/rng.h"

namespace gps {
namespace one_minimum_test {

using Curve = std::vector<double>;

TEST(Violation, IsNothingWhereACurveFallsAndThenRises) {
  for (const Curve& curve : {Curve{3, 2, 1, 2, 3}, Curve{1, 2, 3}, Curve{3, 2, 1}, Curve{5},
                             Curve{}, Curve{2, 1, 1, 2}, Curve{2, 2, 2}, Curve{1, 9}}) {
    EXPECT_EQ(violation(curve), 0);
  }
}

TEST(Violation, IsTheHeightOfTheBarrierAroundTheSecondMinimum) {
  EXPECT_EQ(violation(Curve{1, 4, 2}), 2);           // 4 above the higher of 1 and 2
  EXPECT_EQ(violation(Curve{5, 1, 3, 2, 6}), 1);     // 3 above 2
  EXPECT_EQ(violation(Curve{0, 5, 4, 6, 1, 9}), 5);  // 6 above 1, not 5 above 4
  EXPECT_EQ(violation(Curve{3, 2, 3, 3, 0}), 1);     // a flat top
  EXPECT_EQ(violation(Curve{0, 1, 0, 1, 0}), 1);
}

TEST(Violation, IsWhatTheDefinitionSaysOfAnyThreePoints) {
  Rng rng(3);
  for (int n = 0; n < 300; ++n) {
    Curve curve;
    for (std::size_t k = 0; k < 3 + rng.index(6); ++k)
      curve.push_back(static_cast<double>(rng.index(5)));
    double expected = 0;
    for (std::size_t i = 0; i < curve.size(); ++i)
      for (std::size_t k = i + 1; k < curve.size(); ++k)
        for (std::size_t l = k + 1; l < curve.size(); ++l)
          expected = std::max(expected, curve[k] - std::max(curve[i], curve[l]));
    EXPECT_EQ(violation(curve), expected);
    EXPECT_EQ(minima(curve) == 1, expected == 0) << "two ways to say the same";
  }
}

TEST(Minima, AreCountedWithFlatPiecesOnce) {
  EXPECT_EQ(minima(Curve{3, 1, 2}), 1u);
  EXPECT_EQ(minima(Curve{1, 3, 2}), 2u);
  EXPECT_EQ(minima(Curve{1, 1, 2, 1, 1}), 2u);
  EXPECT_EQ(minima(Curve{2, 2}), 1u);
  EXPECT_EQ(minima(Curve{1, 2, 1, 2, 1}), 3u);
}

TEST(NoiseViolation, GrowsWithThePointsAndIsRightForThree) {
  EXPECT_EQ(noise_violation(2), 0);
  EXPECT_LT(noise_violation(3), noise_violation(5));
  EXPECT_LT(noise_violation(5), noise_violation(11));
  // For three, violation > q where the middle one is the largest by more than q: the gap between
  // the largest and the second of three normals, a third of the time. Its share above q by
  // summing: P = ∫ φ(x) Φ(x - q)² dx.
  const auto share_above = [](double q) {
    double sum = 0;
    constexpr double kStep = 0.001;
    for (double x = -8; x < 8; x += kStep) {
      const double density = std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
      sum += kStep * density * std::pow(0.5 * std::erfc(-(x - q) / std::sqrt(2.0)), 2);
    }
    return sum;
  };
  // A share of ten thousand draws has a deviation of sqrt(0.05 · 0.95/10000) = 0.0022; four of
  // them.
  EXPECT_NEAR(share_above(noise_violation(3)), 0.05, 0.009);
}

TEST(OneMinimum, CountsCurvesAsTheyAre) {
  const OneMinimum result = one_minimum({{3, 1, 2}, {1, 3, 2}, {1, 2, 3}});
  EXPECT_EQ(result.curves, 3u);
  EXPECT_EQ(result.with_one, 2u);
  EXPECT_EQ(result.violations, (std::vector<double>{0, 1, 0}));
  // The mean is 5/3, 2, 7/3.
  EXPECT_TRUE(result.mean_has_one());
}

TEST(OneMinimum, OfASingleCurveKnowsNoNoise) {
  const OneMinimum result = one_minimum({{1, 3, 2}});
  EXPECT_FALSE(result.noise);
  EXPECT_EQ(result.with_one, 0u);
  EXPECT_EQ(result.mean_violation, 1);
}

TEST(OneMinimum, TakesTheNoiseFromWhatSeedsDoNotAgreeOn) {
  // A seed that is worse everywhere is no noise.
  const OneMinimum parallel = one_minimum({{0, 2, 1}, {10, 12, 11}});
  ASSERT_TRUE(parallel.noise);
  EXPECT_NEAR(*parallel.noise, 0, 1e-12);
  EXPECT_FALSE(parallel.mean_has_one_beyond_noise());
  EXPECT_EQ(parallel.with_one_beyond_noise, 0u);
  // Residuals are ±1/2 in all four places: 4 · 1/4 over (2-1)(2-1).
  EXPECT_DOUBLE_EQ(*one_minimum({{0, 1}, {1, 0}}).noise, 1);
  // The same barrier of one, with seeds that differ by far more.
  const OneMinimum noisy = one_minimum({{0, 9, 1, 0}, {7, 0, 6, 0}, {0, 0, 0, 9}});
  EXPECT_GT(noisy.margin, 1);
  EXPECT_DOUBLE_EQ(noisy.mean_margin, noisy.margin / std::sqrt(3));
}

TEST(OneMinimum, OfPureNoiseIsRarelyViolatedBeyondIt) {
  // 200 cases of five seeds and eleven points without any shape. The mean curve is beyond its
  // margin one time in twenty, a little more since σ is measured: Binomial(200, 0.06) has mean 12
  // and deviation 3.4; four of them make 26.
  Rng rng(11);
  int beyond = 0;
  int naive = 0;
  for (int n = 0; n < 200; ++n) {
    std::vector<Curve> curves(5, Curve(11));
    for (Curve& curve : curves) {
      for (double& value : curve) {  // nearly normal: twelve uniform ones
        value = -6;
        for (int k = 0; k < 12; ++k) value += rng.uniform();
      }
    }
    const OneMinimum result = one_minimum(curves);
    if (!result.mean_has_one_beyond_noise()) ++beyond;
    if (!result.mean_has_one()) ++naive;
  }
  EXPECT_LE(beyond, 26);
  EXPECT_GE(beyond, 1);
  EXPECT_GE(naive, 190) << "as they are, hardly any has one minimum";
}

TEST(OneMinimum, TellsFlatCurvesFromThoseThatDependOnTheSize) {
  // By hand: means 1, 2, 3; residuals of ±1/4, 0, ∓1/4 in two rows make σ² = 4/16 / 2 = 1/8, and
  // F = 2 · 2/2 / (1/8) = 16 with 2 and 2 degrees: P = 1/(1 + F).
  EXPECT_NEAR(one_minimum({{0.75, 2, 3.25}, {1.25, 2, 2.75}}).flat_chance, 1.0 / 17, 1e-9);
  EXPECT_EQ(one_minimum({{1, 2, 3}}).flat_chance, 1) << "one curve knows no noise";
  EXPECT_EQ(one_minimum({{2, 2, 2}, {5, 5, 5}}).flat_chance, 1);
  EXPECT_EQ(one_minimum({{1, 2, 3}, {1, 2, 3}}).flat_chance, 0) << "without any noise";
}

TEST(OneMinimum, OfEqualFlatCurvesIsFlatWhateverIsRounded) {
  // The mean of three values of 0.1 is not 0.1: the noise is 0, and the means are not.
  for (const double value : {0.1, 0.7, 0.9, 2.3}) {
    for (const std::size_t seeds : {2u, 3u, 5u}) {
      for (const std::size_t points : {3u, 7u, 11u}) {
        const std::vector<Curve> curves(seeds, Curve(points, value));
        EXPECT_EQ(one_minimum(curves).flat_chance, 1) << value << " " << seeds << " " << points;
      }
    }
  }
}

TEST(OneMinimum, WithoutNoiseDependsOnTheSizeUnlessItIsFlat) {
  const std::vector<Curve> curves(3, Curve{0.1, 0.2, 0.4});
  EXPECT_EQ(one_minimum(curves).flat_chance, 0);
}

TEST(OneMinimum, TakesPureNoiseForADependenceOneTimeInTwenty) {
  Rng rng(12);
  int depends = 0;
  for (int n = 0; n < 400; ++n) {
    std::vector<Curve> curves(5, Curve(7));
    for (Curve& curve : curves) {
      for (double& value : curve) {
        value = -6;
        for (int k = 0; k < 12; ++k) value += rng.uniform();
      }
    }
    if (one_minimum(curves).flat_chance < 0.05) ++depends;
  }
  // Binomial(400, 0.05): mean 20, deviation 4.4; four of them.
  EXPECT_NEAR(depends, 20, 18);
}

TEST(OneMinimum, TakesABrokenNetworkAsTheWorst) {
  const double broken = std::numeric_limits<double>::infinity();
  EXPECT_EQ(one_minimum({{broken, 1, 2}}).with_one, 1u);
  EXPECT_EQ(one_minimum({{broken, broken, 2}}).with_one, 1u);
  for (const double value : {broken, -broken, std::nan("")}) {
    const OneMinimum result = one_minimum({{1, value, 2}, {1, 5, 2}});
    EXPECT_EQ(result.violations, (std::vector<double>{broken, 3}));
    EXPECT_EQ(result.with_one, 0u);
    EXPECT_EQ(result.with_one_beyond_noise, 0u);
    EXPECT_EQ(result.mean_violation, broken);
    EXPECT_TRUE(std::isfinite(*result.noise));
  }
}

TEST(OneMinimum, LooksFlatUnlessTheCurvesDependOnTheRingSize) {
  EXPECT_FALSE(one_minimum({{1, 2, 3}}).looks_flat()) << "one curve cannot tell";
  EXPECT_TRUE(one_minimum({{1, 1, 1}, {2, 2, 2}}).looks_flat());
  EXPECT_TRUE(one_minimum({{1, 2, 3}, {3, 2, 1}}).looks_flat()) << "noise alone";
  EXPECT_FALSE(one_minimum({{1, 2, 3}, {1.01, 2, 3}}).looks_flat());
}

}  // namespace one_minimum_test
}  // namespace gps
