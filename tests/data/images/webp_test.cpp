#include "gps/data/images/webp.h"

#include <gmock/gmock.h>

#include "gps/core/errors.h"
#include "gps/core/rng.h"
#include "support/webp_file.h"

namespace gps {
namespace webp_test {

using ::testing::ElementsAre;
using testing::plain_webp;
using ::testing::StartsWith;
using testing::webp_file;
using Bytes = std::vector<std::uint8_t>;

std::span<const std::uint8_t> span_of(const std::string& file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

Bytes values(const std::string& file, int most_channels = 3) {
  return read_webp(span_of(file), most_channels).values;
}

std::string error(const std::string& file) {
  try {
    read_webp(span_of(file), 3);
  } catch (const DataError& refusal) {
    return refusal.what();
  }
  return "no error";
}

TEST(Webp, WithoutLossIsReadAsItIs) {
  const std::string file = webp_file(2, 1, {255, 0, 9, 255, 1, 2, 3, 255});
  EXPECT_TRUE(is_webp(span_of(file)));
  EXPECT_EQ(read_webp_header(span_of(file)), (ImageHeader{2, 1, 3}));
  EXPECT_THAT(values(file), ElementsAre(255, 0, 9, 1, 2, 3));
}

TEST(Webp, WithLossIsReadNearly) {
  const std::string file = plain_webp({200, 100, 50, 255}, 20, 10, /*is_lossless=*/false);
  const Pixels image = read_webp(span_of(file), 3);
  EXPECT_EQ(image.width, 20);
  EXPECT_EQ(image.height, 10);
  ASSERT_EQ(image.values.size(), 600u);
  const Bytes expected = {200, 100, 50};
  for (std::size_t k = 0; k < image.values.size(); ++k)
    ASSERT_NEAR(image.values[k], expected[k % 3], 6) << k;
}

TEST(Webp, ThatIsTransparentIsSeenOverWhite) {
  const std::string file = webp_file(3, 1, {9, 9, 9, 255, 0, 0, 0, 0, 0, 0, 0, 51});
  EXPECT_THAT(values(file), ElementsAre(9, 9, 9, 255, 255, 255, 204, 204, 204));
}

TEST(Webp, BecomesGreyWhereThatIsWished) {
  EXPECT_THAT(values(plain_webp({255, 0, 0, 255}, 2, 1), 1), ElementsAre(76, 76));
}

TEST(Webp, OfTooManyPixelsIsRefused) {
  // The sides less one, of 14 bits each, follow the signature of a lossless image.
  std::string file = plain_webp({1, 2, 3, 255}, 2, 2);
  const std::size_t signature = file.find('\x2F', 20);
  ASSERT_NE(signature, std::string::npos);
  for (std::size_t k = 1; k <= 3; ++k) file[signature + k] = '\xFF';
  file[signature + 4] = static_cast<char>(file[signature + 4] | 0x0F);
  EXPECT_EQ(error(file), "is 16384 x 16384 pixels; expected at most 67108864 in all");
}

TEST(Webp, TruncatedAnywhereIsRefused) {
  for (const bool is_lossless : {true, false}) {
    const std::string whole = plain_webp({200, 100, 50, 128}, 20, 10, is_lossless);
    for (std::size_t length = 0; length < whole.size(); ++length)
      ASSERT_THAT(error(whole.substr(0, length)), StartsWith("is not an intact WebP image ("))
          << length << " of " << whole.size();
  }
}

TEST(Webp, ThatIsAnimatedIsRefused) {
  const auto number = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int k = 0; k < bytes; ++k) text += static_cast<char>(value >> 8 * k & 0xFF);
    return text;
  };
  // The chunk with the animation's flag and sides less one, and one that says how often it plays.
  const std::string chunks = "WEBPVP8X" + number(10, 4) + number(2, 4) + number(7, 3) +
                             number(7, 3) + "ANIM" + number(6, 4) + number(0, 6);
  const std::string file = "RIFF" + number(chunks.size(), 4) + chunks;
  EXPECT_EQ(error(file), "is an animated WebP image; expected a still one");
}

TEST(Webp, DamagedIsRefusedOrDecoded) {
  for (const bool is_lossless : {true, false}) {
    const std::string whole = plain_webp({200, 100, 50, 128}, 20, 10, is_lossless);
    constexpr std::size_t kContent = 26;
    ASSERT_GT(whole.size(), kContent);
    Rng rng(1);
    for (int trial = 0; trial < 500; ++trial) {
      std::string damaged = whole;
      // Not the sides of the image: many pixels would take time.
      for (int k = 0; k < 3; ++k)
        damaged[kContent + rng.index(damaged.size() - kContent)] =
            static_cast<char>(rng.index(256));
      const std::string message = error(damaged);
      EXPECT_TRUE(message == "no error" || message.starts_with("is ")) << message;
    }
  }
}

}  // namespace webp_test
}  // namespace gps
