#include "gps/deployment/trained_images.h"

#include <gtest/gtest.h>

#include "support/tiny_data.h"

namespace gps {
namespace trained_images_test {

// Images of 144 pixels, so that no two are the same.
Dataset images_of(std::uint64_t seed) { return testing::tiny_dataset(2, 20, seed, /*side=*/12); }

TEST(TrainedImages, KnowEveryImageOnceAndNoOther) {
  const Dataset images = images_of(1);
  const Dataset others = images_of(2);
  TrainedImages trained;
  EXPECT_EQ(trained.count(images), 0u);
  trained.add(images);
  trained.add(images);
  EXPECT_EQ(trained.size(), 40u);
  EXPECT_EQ(trained.count(images), 40u);
  EXPECT_EQ(trained.count(others), 0u);
  trained.add(others);
  EXPECT_EQ(trained.size(), 80u);
  EXPECT_EQ(trained.count(images), 40u);
}

TEST(TrainedImages, TakeEightBytesEachInAFile) {
  TrainedImages trained;
  Archive none;
  trained.persist(none);
  trained.add(images_of(1));
  Archive written;
  trained.persist(written);
  EXPECT_EQ(written.bytes().size() - none.bytes().size(), 8u * 40u);
  TrainedImages read;
  Archive archive(written.bytes());
  read.persist(archive);
  archive.finish();
  EXPECT_EQ(read.count(images_of(1)), 40u);
}

TEST(TrainedImages, AreReadInOrderOnly) {
  for (const std::vector<std::uint64_t>& hashes :
       {std::vector<std::uint64_t>{2, 1}, std::vector<std::uint64_t>{1, 1}}) {
    Archive written;
    written.section("trained on");
    std::vector<std::uint64_t> copy = hashes;
    written(copy);
    TrainedImages read;
    Archive archive(written.bytes());
    EXPECT_THROW(read.persist(archive), DataError);
  }
}

}  // namespace trained_images_test
}  // namespace gps
