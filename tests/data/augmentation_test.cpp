#include "gps/data/augmentation.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <numeric>

#include "gps/data/task.h"
#include "gps/data/transforms.h"

namespace gps {
namespace augmentation_test {

using ::testing::ElementsAre;
using Bytes = std::vector<std::uint8_t>;

constexpr ImageShape kShape{1, 2, 3};
const Bytes kImage = {1, 2, 3,  //
                      4, 5, 6};

Bytes view_of(const Bytes& image, const ImageShape& shape, const View& view,
              const PixelMap* arrangement = nullptr) {
  Bytes out(shape.bytes(), 77);  // what was there before must not show
  write_view(image.data(), shape, view, arrangement, out.data());
  return out;
}

TEST(Augmentation, LeavesTheImageInTheMiddleViewAsItIs) {
  EXPECT_EQ(view_of(kImage, kShape, {}), kImage);
}

TEST(Augmentation, CropsOutOfABlackBorder) {
  EXPECT_THAT(view_of(kImage, kShape, {.down = 1, .right = 0}), ElementsAre(4, 5, 6, 0, 0, 0));
  EXPECT_THAT(view_of(kImage, kShape, {.down = -1, .right = 0}), ElementsAre(0, 0, 0, 1, 2, 3));
  EXPECT_THAT(view_of(kImage, kShape, {.down = 0, .right = 2}), ElementsAre(3, 0, 0, 6, 0, 0));
  EXPECT_THAT(view_of(kImage, kShape, {.down = 0, .right = -1}), ElementsAre(0, 1, 2, 0, 4, 5));
}

TEST(Augmentation, FlipsWhatWasCropped) {
  EXPECT_THAT(view_of(kImage, kShape, {.is_flipped = true}), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(view_of(kImage, kShape, {.down = 0, .right = 1, .is_flipped = true}),
              ElementsAre(0, 3, 2, 0, 6, 5));
}

TEST(Augmentation, TreatsAllChannelsAlike) {
  const ImageShape shape{2, 1, 3};
  EXPECT_THAT(view_of({1, 2, 3, 4, 5, 6}, shape, {.down = 0, .right = 1}),
              ElementsAre(2, 3, 0, 5, 6, 0));
}

TEST(Augmentation, OfARearrangedImageIsTheRearrangedAugmentation) {
  const ImageShape shape{2, 4, 5};
  Bytes image(shape.bytes());
  std::iota(image.begin(), image.end(), std::uint8_t{1});
  const PixelMap map = random_pixel_map(shape, Rng(3));
  const auto rearrange = [&](const Bytes& in) {
    Bytes scratch(shape.bytes());
    const Dataset data = Dataset(shape, in, {0}, 1).rearranged(map);
    const std::uint8_t* out = data.image(0, scratch);
    return Bytes(out, out + shape.bytes());
  };
  for (const View view : {View{}, View{1, -2, false}, View{-3, 1, true}}) {
    EXPECT_EQ(view_of(rearrange(image), shape, view, &map), rearrange(view_of(image, shape, view)));
  }
}

TEST(Augmentation, DrawsEveryViewEquallyOften) {
  constexpr Augmentation kAugmentation{.padding = 1, .flips = true};
  constexpr int kDraws = 18'000;
  Rng rng(5);
  std::map<std::tuple<int, int, bool>, int> counts;
  for (int n = 0; n < kDraws; ++n) {
    const View view = draw_view(kAugmentation, rng);
    ++counts[{view.down, view.right, view.is_flipped}];
  }
  ASSERT_EQ(counts.size(), 18u);
  double chi_square = 0;
  for (const auto& [view, count] : counts) chi_square += std::pow(count - 1000, 2) / 1000.0;
  EXPECT_LT(chi_square, 45.0);  // 17 degrees of freedom: one in 4,000
}

TEST(Augmentation, ShowsViewsInABatchAndKeepsTheOriginals) {
  const Task task{.number = 1,
                  .train = {kShape, kImage, {0}, 1},
                  .labels = {},
                  .augmentation = {.padding = 2, .flips = true}};
  Batch batch;
  const std::vector<std::uint32_t> rows(50, 0);
  batch.gather(task, rows);
  batch.vary(task, Rng(1));
  std::size_t changed = 0;
  for (std::size_t row = 0; row < batch.size(); ++row) {
    EXPECT_EQ(Bytes(batch.original(row), batch.original(row) + 6), kImage);
    if (Bytes(batch.images[row], batch.images[row] + 6) != kImage) ++changed;
  }
  EXPECT_GE(changed, 40u);  // one view in fifty is the image itself

  batch.gather(task, rows);
  EXPECT_EQ(batch.original(0), batch.images[0]) << "the next batch starts afresh";
}

}  // namespace augmentation_test
}  // namespace gps
