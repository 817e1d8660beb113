#include "gps/core/f_distribution.h"

#include <gtest/gtest.h>

#include <limits>

namespace gps {
namespace f_distribution_test {

TEST(FDistribution, HasTheQuantilesOfTheTables) {
  EXPECT_NEAR(f_above(6.3882, 4, 4), 0.05, 1e-5);
  EXPECT_NEAR(f_above(2.5082, 6, 24), 0.05, 1e-5);
  EXPECT_NEAR(f_above(161.4476, 1, 1), 0.05, 1e-5);
  EXPECT_NEAR(f_above(4.8491, 10, 10), 0.01, 1e-5);
}

TEST(FDistribution, IsHalfAtOneForEqualDegreesAndHasItsEnds) {
  for (const std::size_t degrees : {1u, 4u, 30u})
    EXPECT_NEAR(f_above(1, degrees, degrees), 0.5, 1e-12);
  EXPECT_EQ(f_above(0, 3, 4), 1);
  EXPECT_EQ(f_above(std::numeric_limits<double>::infinity(), 3, 4), 0);
}

TEST(FDistribution, TurnsOverWithItsDegrees) {
  for (const double f : {0.1, 0.7, 2.0, 9.0})
    EXPECT_NEAR(f_above(f, 3, 8) + f_above(1 / f, 8, 3), 1, 1e-12);
}

}  // namespace f_distribution_test
}  // namespace gps
