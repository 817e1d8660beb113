#include "gps/data/images/remarks.h"

#include <gtest/gtest.h>

namespace gps {
namespace remarks_test {

TEST(SimilarNames, AreNamedInOneLine) {
  EXPECT_EQ(similar_names_text({"Cat", "Cat ", "cat", "dog"}),
            "different classes have names that differ only in letter case or blanks: 'Cat', 'Cat "
            "', 'cat'; rename them if they are one class");
  EXPECT_EQ(similar_names_text({"cat", "dog", "c at"}), "");
}

TEST(SimilarNames, AreNotNamedAgainWhereAllAreKnown) {
  EXPECT_EQ(similar_names_text({"Cat", "cat", "dog"}, 2), "");
  EXPECT_NE(similar_names_text({"Cat", "dog", "cat"}, 2), "");
}

TEST(SimilarNames, AreNamedUpToFive) {
  EXPECT_EQ(similar_names_text({"a", "A", "b", "B", "c", "C", "d", "D"}),
            "different classes have names that differ only in letter case or blanks: 'a', 'A', "
            "'b', 'B', 'c' and 3 more; rename them if they are one class");
}

TEST(SameImages, AreCountedByContentWithTheFirstForAnExample) {
  const std::vector<ImageFile> files = {{"a/1", "a", "", Split::unsaid},
                                        {"a/2", "a", "", Split::unsaid},
                                        {"b/1", "b", "", Split::unsaid},
                                        {"b/2", "b", "", Split::unsaid},
                                        {"c/1", "c", "", Split::unsaid}};
  const auto text = [&](const std::vector<std::uint64_t>& hashes) {
    return same_images_text(files, hashes);
  };
  EXPECT_EQ(text({1, 2, 3, 4, 5}), "");
  EXPECT_EQ(text({1, 1, 3, 3, 5}), "") << "the same image twice under one label";
  EXPECT_EQ(text({0, 0, 0, 0, 0}), "") << "not readable";
  EXPECT_EQ(text({1, 2, 2, 4, 2}),
            "1 image appears under more than one label, for example a/2 and b/1");
  EXPECT_EQ(text({9, 2, 2, 4, 9}),
            "2 images appear under more than one label, for example a/2 and b/1");
}

TEST(SingleImages, AreNamed) {
  EXPECT_EQ(single_images_text({}), "");
  EXPECT_EQ(single_images_text({"class 'a'"}),
            "class 'a' has one image, which is used for training and not for testing");
  EXPECT_EQ(single_images_text({"class 'a'", "class 'b'"}),
            "2 classes have one image each, which is used for training and not for testing: class "
            "'a', class 'b'");
}

}  // namespace remarks_test
}  // namespace gps
