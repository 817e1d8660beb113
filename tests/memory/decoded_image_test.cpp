#include "gps/memory/decoded_image.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace gps {
namespace decoded_image_test {

using Bytes = std::vector<std::uint8_t>;

TEST(DecodedImage, HasNoPixelsAtFirst) {
  const DecodedImage image(nullptr, 4);
  EXPECT_EQ(image.pixels(), nullptr);
  EXPECT_EQ(image.map(), nullptr);
}

TEST(DecodedImage, KeepsACopyOfThePixelsAsLongAsItLives) {
  const std::size_t before = DecodedImage::kept_bytes();
  {
    DecodedImage image(nullptr, 3);
    Bytes pixels = {1, 2, 3};
    image.keep(pixels);
    pixels[0] = 9;
    ASSERT_NE(image.pixels(), nullptr);
    EXPECT_EQ(Bytes(image.pixels(), image.pixels() + 3), (Bytes{1, 2, 3}));
    EXPECT_EQ(DecodedImage::kept_bytes(), before + 3);
    image.keep(Bytes{1, 2, 3});
    EXPECT_EQ(DecodedImage::kept_bytes(), before + 3) << "once";
  }
  EXPECT_EQ(DecodedImage::kept_bytes(), before);
}

TEST(DecodedImage, KeepsNothingAboveTheBound) {
  constexpr std::size_t kLarge = DecodedImage::kMostKeptBytes / 2 + 1;
  const Bytes pixels(kLarge);
  DecodedImage first(nullptr, kLarge);
  DecodedImage second(nullptr, kLarge);
  first.keep(pixels);
  second.keep(pixels);
  EXPECT_NE(first.pixels(), nullptr);
  EXPECT_EQ(second.pixels(), nullptr);
  EXPECT_LE(DecodedImage::kept_bytes(), DecodedImage::kMostKeptBytes);
}

TEST(DecodedImage, IsKeptOnceIfThreadsDecodeAtTheSameTime) {
  const std::size_t before = DecodedImage::kept_bytes();
  {
    DecodedImage image(nullptr, 100);
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) threads.emplace_back([&] { image.keep(Bytes(100, 7)); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(Bytes(image.pixels(), image.pixels() + 100), Bytes(100, 7));
    EXPECT_EQ(DecodedImage::kept_bytes(), before + 100);
  }
  EXPECT_EQ(DecodedImage::kept_bytes(), before);
}

}  // namespace decoded_image_test
}  // namespace gps
