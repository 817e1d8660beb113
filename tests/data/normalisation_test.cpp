#include "gps/data/normalisation.h"

#include <gmock/gmock.h>

namespace gps {
namespace normalisation_test {

using ::testing::ElementsAre;
using ::testing::FloatEq;

ChannelSums sums_of(const std::vector<std::uint8_t>& pixels) {
  ChannelSums sums;
  sums.add(pixels);
  return sums;
}

TEST(ChannelSums, AreOfValuesAndOfSquares) {
  ChannelSums sums = sums_of({0, 3, 255});
  EXPECT_EQ(sums.values, 258u);
  EXPECT_EQ(sums.squares, 65034u);
  sums.add(sums_of({1, 2}));
  EXPECT_EQ(sums.values, 261u);
  EXPECT_EQ(sums.squares, 65039u);
}

// The mean of 0 and 255 is 127.5, and so is their deviation; that of 1, 2, 3 and 4 is √1.25.
TEST(NormalisationFrom, IsTheMeanAndTheDeviationOfEachChannel) {
  const std::vector<ChannelSums> channels = {sums_of({0, 255, 0, 255}), sums_of({1, 2, 3, 4})};
  const Normalisation found = normalisation_from(channels, /*images=*/2, /*pixels=*/2);
  EXPECT_THAT(found.mean, ElementsAre(FloatEq(0.5f), FloatEq(2.5f / 255)));
  EXPECT_THAT(found.deviation, ElementsAre(FloatEq(0.5f), FloatEq(1.1180340f / 255)));
}

TEST(NormalisationFrom, HasDeviationsOfAtLeastOneGreyLevel) {
  const std::vector<ChannelSums> channels = {sums_of({77, 77}), sums_of({77, 78})};
  const Normalisation found = normalisation_from(channels, 1, 2);
  EXPECT_THAT(found.deviation, ElementsAre(1.0f / 255, 1.0f / 255));
}

}  // namespace normalisation_test
}  // namespace gps
