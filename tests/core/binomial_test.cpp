#include "gps/core/binomial.h"

#include <gtest/gtest.h>

namespace gps {
namespace binomial_test {

TEST(BinomialAtLeast, IsTheSumOfTheTermsByHand) {
  EXPECT_NEAR(binomial_at_least(2, 2, 0.5), 0.25, 1e-12);
  EXPECT_NEAR(binomial_at_least(1, 2, 0.5), 0.75, 1e-12);
  // 10·0.1³·0.9² + 5·0.1⁴·0.9 + 0.1⁵
  EXPECT_NEAR(binomial_at_least(3, 5, 0.1), 0.00856, 1e-12);
}

TEST(BinomialAtLeast, KnowsWhatIsCertainAndWhatIsImpossible) {
  EXPECT_EQ(binomial_at_least(0, 5, 0.1), 1);
  EXPECT_EQ(binomial_at_least(0, 0, 0.1), 1);
  EXPECT_EQ(binomial_at_least(6, 5, 0.1), 0);
  EXPECT_EQ(binomial_at_least(1, 5, 0), 0);
  EXPECT_EQ(binomial_at_least(5, 5, 1), 1);
}

TEST(BinomialAtLeast, NeitherUnderflowsNorOverflowsWithManyTries) {
  // The mean of a million tries is 100000 and their deviation 300; the tails are the normal ones.
  EXPECT_NEAR(binomial_at_least(100000, 1000000, 0.1), 0.5, 0.002);
  EXPECT_NEAR(binomial_at_least(100600, 1000000, 0.1), 0.0228, 0.0005);  // two deviations up
  EXPECT_NEAR(binomial_at_least(99400, 1000000, 0.1), 0.9772, 0.0005);
}

}  // namespace binomial_test
}  // namespace gps
