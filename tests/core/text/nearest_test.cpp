#include "gps/core/text/nearest.h"

#include <gtest/gtest.h>

namespace gps {
namespace nearest_test {

TEST(Nearest, IsTheWordWithTheFewestEdits) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("gsp", "gps"), 1u) << "neighbours are swapped";
  EXPECT_EQ(edit_distance("abcd", "badc"), 2u);
  EXPECT_EQ(edit_distance("same", "same"), 0u);
  EXPECT_EQ(nearest("polcy", {"memory", "policy", "preset"}), "policy");
}

TEST(ProbablyMeant, IsASimilarWordOrNothing) {
  const std::vector<std::string> known = {"memory", "policy", "lr"};
  EXPECT_EQ(probably_meant("polcy", known), "policy");
  EXPECT_EQ(probably_meant("polciy", known), "policy");
  EXPECT_EQ(probably_meant("lrr", known), "lr");
  EXPECT_EQ(probably_meant("LR", known), "lr");
  EXPECT_EQ(probably_meant("rl", known), "lr");
  EXPECT_EQ(probably_meant("MEMORY", known), "memory");
  EXPECT_EQ(probably_meant("colour", known), "");
  EXPECT_EQ(probably_meant("", known), "");
  EXPECT_EQ(probably_meant("policy", {}), "");
}

TEST(UnknownNameText, AsksOnlyIfAKnownNameIsSimilar) {
  EXPECT_EQ(unknown_name_text("policy", "best", {"gps", "ring"}),
            "unknown policy 'best'; known: gps, ring");
  EXPECT_EQ(unknown_name_text("policy", "rng", {"gps", "ring"}),
            "unknown policy 'rng'; did you mean 'ring'? known: gps, ring");
}

}  // namespace nearest_test
}  // namespace gps
