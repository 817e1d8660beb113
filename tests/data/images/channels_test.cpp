#include "gps/data/images/channels.h"

#include <gmock/gmock.h>

namespace gps {
namespace channels_test {

using ::testing::ElementsAre;
using Bytes = std::vector<std::uint8_t>;

TEST(Channels, OfColourBecomeGrey) {
  Bytes values = {255, 0, 0, 10, 10, 10};
  reduce_channels(values, 3, 1);
  EXPECT_THAT(values, ElementsAre(76, 10));
}

TEST(Channels, ThatAreTransparentAreSeenOverWhite) {
  Bytes values = {10, 20, 30, 0, 10, 20, 30, 255};
  reduce_channels(values, 4, 3);
  EXPECT_THAT(values, ElementsAre(255, 255, 255, 10, 20, 30));
}

TEST(Channels, OfInksBecomeRedGreenAndBlue) {
  Bytes ink = {0, 255, 100, 0, 0, 0, 0, 255, 0, 0, 0, 0};
  cmyk_to_rgb(ink, /*is_inverted=*/false);
  EXPECT_THAT(ink, ElementsAre(255, 0, 155, 0, 0, 0, 255, 255, 255));
  Bytes light = {255, 0, 155, 255, 200, 100, 50, 51};
  cmyk_to_rgb(light, /*is_inverted=*/true);
  EXPECT_THAT(light, ElementsAre(255, 0, 155, 40, 20, 10));
}

}  // namespace channels_test
}  // namespace gps
