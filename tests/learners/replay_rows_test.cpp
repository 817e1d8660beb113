#include "gps/learners/replay_rows.h"

#include <gtest/gtest.h>

#include <set>

#include "gps/data/transforms.h"

namespace gps {
namespace replay_rows_test {

constexpr ImageShape kShape{1, 4, 4};
using Bytes = std::vector<std::uint8_t>;

// An image whose pixels are all different, so that a view gives itself away.
Bytes ramp() {
  Bytes bytes(kShape.bytes());
  for (std::size_t p = 0; p < bytes.size(); ++p) bytes[p] = static_cast<std::uint8_t>(p + 1);
  return bytes;
}

Example ramp_example() { return {.image = store_image(ramp()), .label = 3, .task = 1}; }

std::set<Bytes> replayed(const Memory& memory, int times) {
  std::set<Bytes> seen;
  ReplayRows rows;
  Rng rng(2);
  for (int n = 0; n < times; ++n) {
    rows.clear();
    rows.draw(memory, 2, rng);
    for (const std::uint8_t* image : rows.images()) seen.insert({image, image + kShape.bytes()});
  }
  return seen;
}

TEST(ReplayRows, AreTheStoredImagesThemselvesWithoutAugmentation) {
  Memory memory(2, kShape, {});
  memory.add(ramp_example());
  ReplayRows rows;
  Rng rng(1);
  rows.draw(memory, 2, rng);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.images()[0], memory[0].image.get());
}

TEST(ReplayRows, AreDecodedWhereTheMemoryStoresLess) {
  const SharedCodec codec = make_codec("bits:2");
  Memory memory(2, kShape, {}, {codec});
  const Bytes pixels = {0, 10, 50, 90, 100, 130, 150, 170, 200, 220, 240, 255, 42, 43, 127, 128};
  memory.add({.image = memory.stored(pixels), .label = 3, .task = 1});
  const Bytes nearest = {0, 0, 85, 85, 85, 170, 170, 170, 170, 255, 255, 255, 0, 85, 85, 170};
  EXPECT_EQ(replayed(memory, 3), std::set<Bytes>{nearest});
}

TEST(ReplayRows, AreViewsOfDecodedImages) {
  const Augmentation flips{.padding = 0, .flips = true};
  Memory memory(1, kShape, flips, {make_codec("bits:1")});
  Bytes pixels(kShape.bytes(), 0);
  pixels[0] = 200;
  memory.add({.image = memory.stored(pixels), .label = 3, .task = 1});
  Bytes left(kShape.bytes(), 0);
  Bytes right = left;
  left[0] = 255;
  right[3] = 255;
  EXPECT_EQ(replayed(memory, 40), (std::set<Bytes>{left, right}));
}

TEST(ReplayRows, AreViewsThatAreDrawnAnewEachTime) {
  const Augmentation augmentation{.padding = 1, .flips = true};
  Memory memory(2, kShape, augmentation);
  memory.add(ramp_example());
  memory.add(ramp_example());
  std::set<Bytes> views;
  for (int down = -1; down <= 1; ++down) {
    for (int right = -1; right <= 1; ++right) {
      for (const bool is_flipped : {false, true}) {
        Bytes view(kShape.bytes());
        write_view(ramp().data(), kShape, {down, right, is_flipped}, nullptr, view.data());
        views.insert(view);
      }
    }
  }
  // 600 draws of 18 views: all of them are missed together less than once in 10^13.
  EXPECT_EQ(replayed(memory, 300), views);
  EXPECT_EQ(Bytes(memory[0].image.get(), memory[0].image.get() + kShape.bytes()), ramp());
}

TEST(ReplayRows, OfAPseudoTaskAreAugmentedBeforeTheyArePermuted) {
  const PixelMap map = random_pixel_map(kShape, Rng(4));
  const auto permute = [&](const Bytes& in) {
    Bytes out(in.size());
    for (std::size_t p = 0; p < in.size(); ++p) out[map[p]] = in[p];
    return out;
  };
  Memory memory(1, kShape, {.padding = 0, .flips = true});
  Example example = ramp_example();
  example.image = store_image(permute(ramp()));
  example.arrangement = std::make_shared<const PixelMap>(map);
  memory.add(example);
  Bytes flipped(kShape.bytes());
  write_view(ramp().data(), kShape, {.is_flipped = true}, nullptr, flipped.data());
  EXPECT_EQ(replayed(memory, 50), (std::set<Bytes>{permute(ramp()), permute(flipped)}));
}

TEST(ReplayRows, ComeAfterTheBatchWithTheirLabels) {
  const Task task{.number = 2, .train = {kShape, ramp(), {1}, 4}};
  Batch now;
  now.gather(task, std::vector<std::uint32_t>{0});
  Memory memory(1, kShape, {.padding = 1});
  memory.add(ramp_example());
  ReplayRows rows;
  Rng rng(1);
  rows.start(now);
  rows.draw(memory, 5, rng);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.images()[0], now.images[0]);
  EXPECT_EQ(rows.labels(0, 2)[0], 1);
  EXPECT_EQ(rows.labels(0, 2)[1], 3);
}

}  // namespace replay_rows_test
}  // namespace gps
