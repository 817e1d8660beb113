#include "gps/deployment/new_data.h"

#include <gmock/gmock.h>

#include "gps/core/errors.h"
#include "support/png_file.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

namespace gps {
namespace new_data_test {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using testing::plain_png;
using testing::write_file;

class NewData : public ::testing::Test {
 protected:
  void add(const std::string& name, const std::string& bytes) const {
    write_file(folder_.path() / name, bytes);
  }
  ImageListing listing() const { return list_images(folder_.path()); }

  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_F(NewData, NewClassesComeAfterTheKnownOnesInNaturalOrder) {
  for (const char* name : {"c10", "c2", "known"})
    add(std::string(name) + "/a.png", plain_png({9}, 4, 4));
  const auto classes = classes_with({"first", "known"}, listing());
  EXPECT_THAT(classes, ElementsAre("first", "known", "c2", "c10"));
  EXPECT_THAT(labels_of(listing(), classes), ElementsAre(1, 2, 3));
}

TEST_F(NewData, HasTheKnownClassesWhateverTheFormOfTheirNames) {
  add("cafe\xCC\x81/1.png", plain_png({10}, 4, 4));
  add("tea/1.png", plain_png({20}, 4, 4));
  const std::string decomposed = "cafe\xCC\x81";  // as an earlier version may have kept it
  EXPECT_THAT(classes_with({decomposed}, listing()), ElementsAre(decomposed, "tea"));
  EXPECT_THAT(classes_with({"caf\xC3\xA9"}, listing()), ElementsAre("caf\xC3\xA9", "tea"));
  EXPECT_THAT(labels_of(listing(), {"x", decomposed, "tea"}), ElementsAre(1, 2));
}

TEST_F(NewData, ThatCannotBeReadAtAllIsListed) {
  add("a/1.png", "no image");
  add("b/1.png", "no image");
  const auto reason = [&] {
    try {
      shape_of(listing());
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(reason(), ::testing::HasSubstr("2 of 2 images cannot be read\n  "));
  EXPECT_THAT(reason(), ::testing::HasSubstr("b/1.png: is neither JPEG"));
}

LearnOptions options_of(const ImageShape& shape) {
  LearnOptions options;
  options.shape = shape;
  return options;
}

TEST_F(NewData, HasHashesOfItsPixelsAndKnowsClassesOfOneImage) {
  add("a/1.png", plain_png({10}, 4, 4));
  add("a/2.png", plain_png({20}, 4, 4));
  add("b/1.png", plain_png({10}, 8, 8));  // the same pixels once it is resized
  add("b/2.png", "no image");
  const LabelledImages images = read_images(listing(), {"a", "b"}, options_of({1, 2, 2}), {});
  ASSERT_EQ(images.hashes.size(), 4u);
  EXPECT_EQ(images.hashes[0], images.hashes[2]);
  EXPECT_NE(images.hashes[0], images.hashes[1]);
  EXPECT_EQ(images.hashes[3], 0u);
  EXPECT_THAT(single_images(images, {"a", "b"}), ElementsAre("class 'b'"));
}

TEST_F(NewData, IsDividedAsTheFoldersSay) {
  add("train/a/1.png", plain_png({10}, 4, 4));
  add("train/b/2.png", plain_png({20}, 4, 4));
  add("test/b/3.png", plain_png({30}, 4, 4));
  add("test/b/4.png", "no image");
  const LabelledImages images = read_images(listing(), {"a", "b"}, options_of({1, 2, 2}), {});
  ASSERT_EQ(images.train.size(), 2u);
  ASSERT_EQ(images.test.size(), 1u);
  EXPECT_EQ(images.test.label(0), 1);
  EXPECT_EQ(images.test.image(0, {})[3], 30);
  ASSERT_EQ(images.bad.size(), 1u);
  EXPECT_EQ(images.bad[0].path.filename(), "4.png");
}

TEST_F(NewData, HasTheShapeOfItsFirstImagesUnlessTheyAreLarge) {
  add("a/1.png", plain_png({10}, 20, 10));
  EXPECT_EQ(shape_of(listing()), (ImageShape{1, 10, 20}));
  add("b/1.png", plain_png({1, 2, 3}, 7, 7));
  EXPECT_EQ(shape_of(listing()), (ImageShape{3, 10, 20})) << "one is in colour";
  add("a/0.png", plain_png({10}, 100, 50));
  EXPECT_EQ(shape_of(listing()), (ImageShape{3, 32, 32}));
}

TEST_F(NewData, HasFactsThatSayWhatFitsIt) {
  add("train/a/1.png", plain_png({10}, 4, 4));
  add("train/a/2.png", plain_png({10}, 4, 4));
  add("train/b/2.png", plain_png({20}, 4, 4));
  add("test/b/3.png", plain_png({30}, 4, 4));
  const DataFacts facts = facts_of(listing(), {1, 4, 4}, /*model=*/"");
  EXPECT_EQ(facts.images, 3u) << "those for training";
  EXPECT_EQ(facts.classes, 2);
  EXPECT_EQ(facts.image, (ImageShape{1, 4, 4}));
}

TEST_F(NewData, OfSeveralTasksOrWithoutLabelsIsRefused) {
  add("t1/a/1.png", plain_png({10}, 4, 4));
  EXPECT_NO_THROW(check_is_one_task(listing(), "x"));
  add("t2/a/1.png", plain_png({10}, 4, 4));
  const auto advice = [&](const std::string& name) {
    try {
      check_is_one_task(listing(), name);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(advice("x"), ::testing::EndsWith("gpscl learn STATE x/t1"));
  EXPECT_THAT(advice("x.csv"), ::testing::EndsWith("one manifest for each"));
  const testing::TemporaryFolder flat;
  write_file(flat.path() / "1.png", plain_png({10}, 4, 4));
  EXPECT_THROW(check_is_one_task(list_images(flat.path()), "x"), DataError);
}

TEST(Measured, IsTheMeanAndTheDeviationOfEachChannel) {
  // Two images of two pixels in three channels.
  const Dataset data({3, 1, 2}, {0, 255, 10, 10, 1, 2, 0, 255, 10, 10, 3, 4}, {0, 0}, 1);
  const Normalisation found = measured(data);
  EXPECT_THAT(found.mean, ElementsAre(FloatNear(0.5f, 1e-6f), FloatNear(10 / 255.0f, 1e-6f),
                                      FloatNear(2.5f / 255, 1e-6f)));
  EXPECT_THAT(found.deviation, ElementsAre(FloatNear(0.5f, 1e-6f), FloatNear(1 / 255.0f, 1e-6f),
                                           FloatNear(1.1180340f / 255, 1e-6f)));
}

}  // namespace new_data_test
}  // namespace gps
