#include "gps/data/dataset.h"

#include <gmock/gmock.h>

#include <array>
#include <numeric>
#include <stdexcept>

#include "gps/core/errors.h"
#include "gps/core/rng.h"
#include "support/rows_of.h"

namespace gps {
namespace dataset_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ids;
using testing::image;
using ::testing::IsEmpty;
using Bytes = std::vector<std::uint8_t>;

std::vector<Label> labels(const Dataset& data) {
  std::vector<Label> all;
  for (std::size_t i = 0; i < data.size(); ++i) all.push_back(data.label(i));
  return all;
}

// Five images of 2 x 2 pixels: {0, 1, 2, 3}, {10, 11, 12, 13}, …; labels 2 0 1 0 2.
Dataset five() {
  Bytes bytes;
  for (int i = 0; i < 5; ++i) {
    for (int p = 0; p < 4; ++p) bytes.push_back(static_cast<std::uint8_t>(10 * i + p));
  }
  return {ImageShape{1, 2, 2}, bytes, {2, 0, 1, 0, 2}, 3};
}

std::string error_of(std::size_t bytes, const std::vector<Label>& of, int classes) {
  try {
    const Dataset data(ImageShape{1, 2, 2}, Bytes(bytes), of, classes);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Dataset, IsEmptyByDefault) {
  EXPECT_EQ(Dataset().size(), 0u);
  EXPECT_THAT(Dataset().rows_by_class(), IsEmpty());
}

TEST(Dataset, HoldsImagesLabelsAndIdsInTheOrderGiven) {
  const Dataset data = five();
  EXPECT_EQ(data.size(), 5u);
  EXPECT_EQ(data.classes(), 3);
  EXPECT_EQ(data.shape(), (ImageShape{1, 2, 2}));
  EXPECT_THAT(labels(data), ElementsAre(2, 0, 1, 0, 2));
  EXPECT_THAT(ids(data), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(image(data, 3), ElementsAre(30, 31, 32, 33));
}

TEST(Dataset, RefusesBytesThatDoNotFitTheLabels) {
  EXPECT_EQ(error_of(8, {0, 0}, 1), "no error");
  EXPECT_THAT(error_of(7, {0, 0}, 1), HasSubstr("7 bytes of images for 2 labels"));
  EXPECT_THAT(error_of(12, {0, 0}, 1), HasSubstr("expected 4 bytes for each image"));
}

TEST(Dataset, RefusesALabelThatIsNoClass) {
  EXPECT_EQ(error_of(8, {1, 2}, 3), "no error");
  EXPECT_THAT(error_of(8, {1, 3}, 3), HasSubstr("label 3 of example 1"));
}

TEST(Dataset, ListsTheRowsOfEachClassInOrder) {
  EXPECT_THAT(five().rows_by_class(),
              ElementsAre(ElementsAre(1, 3), ElementsAre(2), ElementsAre(0, 4)));
}

TEST(Dataset, SubsetTakesRowsInTheOrderGivenWithTheirIds) {
  const Dataset data = five().subset(std::vector<std::uint32_t>{4, 1, 4});
  EXPECT_THAT(ids(data), ElementsAre(4, 1, 4));
  EXPECT_THAT(labels(data), ElementsAre(2, 0, 2));
  EXPECT_THAT(image(data, 1), ElementsAre(10, 11, 12, 13));
  const Dataset again = data.subset(std::vector<std::uint32_t>{1});
  EXPECT_THAT(ids(again), ElementsAre(1));
  EXPECT_EQ(data.subset({}).size(), 0u);
  EXPECT_THROW(data.subset(std::vector<std::uint32_t>{3}), std::out_of_range);
}

TEST(Dataset, RearrangedMovesPixelPToMapP) {
  const Dataset data = five().rearranged({2, 0, 3, 1});
  EXPECT_THAT(image(data, 0), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(image(data, 1), ElementsAre(11, 13, 10, 12));
  EXPECT_THAT(ids(data), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(labels(data), ElementsAre(2, 0, 1, 0, 2));
}

TEST(Dataset, RearrangedLeavesTheOriginalAlone) {
  const Dataset data = five();
  const Dataset moved = data.rearranged({3, 2, 1, 0});
  EXPECT_THAT(image(data, 1), ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(image(moved, 1), ElementsAre(13, 12, 11, 10));
}

// A 5 x 5 image of two channels: 25 pixels are no multiple of the eight that are moved at a time,
// and a third of them is black, in runs and alone.
TEST(Dataset, TwoRearrangementsAreOneAfterTheOtherInEveryChannel) {
  const ImageShape shape{2, 5, 5};
  Bytes bytes(shape.bytes());
  for (std::size_t p = 0; p < bytes.size(); ++p)
    bytes[p] = p % 25 < 8 || p % 7 == 0 ? 0 : static_cast<std::uint8_t>(p + 100);
  const Dataset data(shape, bytes, {0}, 1);
  Rng rng(4);
  const PixelMap first = rng.permutation(25);
  const PixelMap second = rng.permutation(25);
  const auto move = [](const Bytes& in, const PixelMap& map) {
    Bytes out(in.size());
    for (std::size_t p = 0; p < in.size(); ++p) out[p / 25 * 25 + map[p % 25]] = in[p];
    return out;
  };
  EXPECT_EQ(image(data.rearranged(first), 0), move(bytes, first));
  EXPECT_EQ(image(data.rearranged(first).rearranged(second), 0), move(move(bytes, first), second));
}

// What all tests of seen_through() check: the map leads from the pictures to the images.
void expect_seen_through(const Dataset& data, const Bytes& picture) {
  ASSERT_NE(data.seen_through(), nullptr);
  const PixelMap& map = *data.seen_through();
  Bytes moved(picture.size());
  for (std::size_t p = 0; p < picture.size(); ++p) moved[map[p]] = picture[p];
  EXPECT_EQ(image(data, 0), moved);
}

TEST(Dataset, KnowsTheMapsThatItsImagesAreSeenThrough) {
  const Dataset data = five();
  EXPECT_EQ(data.seen_through(), nullptr);
  EXPECT_EQ(data.materialised().seen_through(), nullptr);
  const Bytes picture = image(data, 0);
  const Dataset once = data.rearranged({2, 0, 3, 1});
  expect_seen_through(once, picture);
  expect_seen_through(once.rearranged({1, 2, 0, 3}), picture);
  expect_seen_through(once.materialised(), picture);
  expect_seen_through(once.materialised().rearranged({1, 2, 0, 3}), picture);
  expect_seen_through(once.subset(std::vector<std::uint32_t>{0}), picture);
}

TEST(Dataset, KnowsNoMapOfEditedImagesOrOfPartsWithDifferentMaps) {
  const Dataset data = five();
  const Dataset once = data.rearranged({2, 0, 3, 1});
  const auto as_they_are = [](std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
    std::copy(in.begin(), in.end(), out.begin());
  };
  EXPECT_EQ(once.edited(as_they_are).seen_through(), nullptr);
  expect_seen_through(once.edited(as_they_are).rearranged({1, 2, 0, 3}), image(once, 0));
  EXPECT_EQ(Dataset::concatenated(std::vector<Dataset>{once, data.rearranged({3, 2, 1, 0})})
                .seen_through(),
            nullptr);
  EXPECT_EQ(Dataset::concatenated(std::vector<Dataset>{once, once}).seen_through(),
            once.seen_through());
}

TEST(Dataset, RearrangedImagesOverwriteWhatTheScratchHeld) {
  const Dataset data =
      Dataset(ImageShape{1, 4, 4}, Bytes(16, 0), {0}, 1).rearranged(Rng(1).permutation(16));
  Bytes scratch(16, 99);
  const std::uint8_t* bytes = data.image(0, scratch);
  EXPECT_EQ(Bytes(bytes, bytes + 16), Bytes(16, 0));
}

TEST(Dataset, EditedChangesImagesAndNothingElse) {
  const auto negative = [](std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
    for (std::size_t p = 0; p < in.size(); ++p) out[p] = static_cast<std::uint8_t>(255 - in[p]);
  };
  const Dataset before = five().subset(std::vector<std::uint32_t>{3, 0}).rearranged({1, 0, 2, 3});
  const Dataset data = before.edited(negative);
  EXPECT_THAT(image(data, 0), ElementsAre(224, 225, 223, 222));
  EXPECT_THAT(image(data, 1), ElementsAre(254, 255, 253, 252));
  EXPECT_THAT(ids(data), ElementsAre(3, 0));
  EXPECT_THAT(labels(data), ElementsAre(0, 2));
  EXPECT_THAT(image(before, 0), ElementsAre(31, 30, 32, 33));
  EXPECT_THAT(image(data.rearranged({3, 2, 1, 0}), 0), ElementsAre(222, 223, 225, 224));
}

TEST(Dataset, NothingCanBeEditedAndConcatenated) {
  const auto unreachable = [](std::span<const std::uint8_t>, std::span<std::uint8_t>) { FAIL(); };
  EXPECT_EQ(Dataset().edited(unreachable).size(), 0u);
  EXPECT_EQ(Dataset::concatenated(std::vector<Dataset>(2)).size(), 0u);
}

TEST(Dataset, ConcatenatedKeepsEachPartsRowsIdsAndRearrangement) {
  const Dataset data = five();
  const std::vector<Dataset> parts = {
      data.subset(std::vector<std::uint32_t>{1}).rearranged({3, 2, 1, 0}),
      data.subset(std::vector<std::uint32_t>{4, 0}),
      data.subset(std::vector<std::uint32_t>{1}).rearranged({1, 0, 2, 3})};
  const Dataset all = Dataset::concatenated(parts);
  EXPECT_THAT(ids(all), ElementsAre(1, 4, 0, 1));
  EXPECT_THAT(labels(all), ElementsAre(0, 2, 2, 0));
  EXPECT_THAT(image(all, 0), ElementsAre(13, 12, 11, 10));
  EXPECT_THAT(image(all, 1), ElementsAre(40, 41, 42, 43));
  EXPECT_THAT(image(all, 3), ElementsAre(11, 10, 12, 13));

  const std::vector<Dataset> again = {all.rearranged({1, 0, 2, 3}), data};
  const Dataset more = Dataset::concatenated(again);
  EXPECT_EQ(more.size(), 9u);
  EXPECT_THAT(image(more, 0), ElementsAre(12, 13, 11, 10));
  EXPECT_THAT(image(more, 3), ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(image(more, 8), ElementsAre(40, 41, 42, 43));
}

TEST(Dataset, SharesAStoreThatExistsWithoutACopy) {
  const auto owner = std::make_shared<const std::vector<std::uint8_t>>(
      std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<Label> labels = {1, 0};
  Dataset copy;
  {
    const Dataset data({1, 2, 2}, ImageStore(owner, owner->data()), labels, 2);
    copy = data.subset(std::vector<std::uint32_t>{1});
  }
  EXPECT_EQ(owner.use_count(), 2);
  EXPECT_EQ(copy.image(0, {}), owner->data() + 4);
  EXPECT_EQ(copy.label(0), 0);
  EXPECT_THROW(Dataset({1, 2, 2}, ImageStore(owner, owner->data()), labels, 1), DataError);
}

TEST(Dataset, AnIndexChangesNoImage) {
  const ImageShape shape{1, 3, 3};
  Rng draw(5);
  Bytes bytes(20 * shape.bytes());
  for (auto& byte : bytes)
    byte = draw.index(3) == 0 ? static_cast<std::uint8_t>(draw.index(256)) : std::uint8_t{0};
  const Dataset plain(shape, bytes, std::vector<Label>(20, 0), 1);
  const Dataset indexed = plain.indexed();
  PixelMap map(shape.pixels());
  std::iota(map.begin(), map.end(), 0u);
  const auto expect_same = [](const Dataset& one, const Dataset& other) {
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(image(one, i), image(other, i)) << i;
  };
  const std::vector<std::uint32_t> some = {7, 3, 19, 7};
  for (int turn = 0; turn < 3; ++turn) {
    draw.shuffle(std::span(map));
    const Dataset here = plain.rearranged(map);
    expect_same(indexed.rearranged(map), here);
    expect_same(indexed.subset(some).rearranged(map), here.subset(some));
    expect_same(plain.subset(some).indexed().rearranged(map), here.subset(some));
    expect_same(indexed.indexed().rearranged(map).rearranged(map), here.rearranged(map));
    expect_same(indexed.rearranged(map).materialised().rearranged(map),
                here.materialised().rearranged(map));
    const std::vector<Dataset> parts = {indexed.subset(some).rearranged(map), here};
    const std::vector<Dataset> plain_parts = {plain.subset(some).rearranged(map), here};
    expect_same(Dataset::concatenated(parts), Dataset::concatenated(plain_parts));
  }
  EXPECT_EQ(Dataset().indexed().size(), 0u);
}

TEST(Dataset, AnIndexIsForOneChannelOnly) {
  const ImageShape shape{2, 1, 2};
  const Dataset data(shape, {1, 2, 3, 4}, {0}, 1);
  EXPECT_THAT(image(data.indexed().rearranged({1, 0}), 0), ElementsAre(2, 1, 4, 3));
}

TEST(Dataset, MayHaveLabelsWithoutImages) {
  const std::vector<Label> of = {2, 0, 2};
  const std::vector<std::uint32_t> numbers = {70, 5, 9};
  const Dataset data = Dataset::without_images(ImageShape{1, 2, 2}, of, numbers, 3);
  EXPECT_EQ(labels(data), of);
  EXPECT_EQ(ids(data), numbers);
  EXPECT_THAT(data.rows_by_class(), ElementsAre(ElementsAre(1u), IsEmpty(), ElementsAre(0u, 2u)));
  std::array<std::uint8_t, 4> scratch{};
  EXPECT_EQ(data.image(1, scratch), nullptr);
  data.prefetch(1);
  EXPECT_EQ(ids(data.subset(std::array<std::uint32_t, 2>{2, 0}).materialised()),
            (std::vector<std::uint32_t>{9, 70}));
  EXPECT_THROW(Dataset::without_images(ImageShape{1, 2, 2}, of, numbers, 2), DataError);
}

}  // namespace dataset_test
}  // namespace gps
