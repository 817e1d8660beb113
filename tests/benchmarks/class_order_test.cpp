#include "gps/benchmarks/class_order.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "gps/core/errors.h"

namespace gps {
namespace class_order_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error(const std::string& text) {
  try {
    class_order(text, 4, Rng(1));
  } catch (const UsageError& refusal) {
    return refusal.what();
  }
  return "no error";
}

TEST(ClassOrder, IsNaturalOrAsListed) {
  EXPECT_THAT(class_order("natural", 4, Rng(1)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(class_order("3,1,0,2", 4, Rng(1)), ElementsAre(3, 1, 0, 2));
  EXPECT_THAT(class_order("0", 1, Rng(1)), ElementsAre(0));
}

TEST(ClassOrder, IsDrawnFromTheGivenStream) {
  const std::vector<Label> order = class_order("random", 200, Rng(1));
  EXPECT_EQ(order, class_order("random", 200, Rng(1)));
  EXPECT_NE(order, class_order("random", 200, Rng(2)));
  std::vector<Label> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, class_order("natural", 200, Rng(1)));
}

TEST(ClassOrder, RefusesWhatDoesNotHaveEachLabelOnce) {
  EXPECT_THAT(error("3,1,0"), AllOf(HasSubstr("`class-order`"), HasSubstr("got 3 labels")));
  EXPECT_THAT(error("3,1,0,2,1"), HasSubstr("got 1 twice"));
  EXPECT_THAT(error("3,1,0,4"), AllOf(HasSubstr("0 to 3"), HasSubstr("got '4'")));
  for (const std::string text : {"", "0,1,2,", "0,1,2,x", "0,1,2,-1", "0, 1,2,3", "0,1,2,3.0",
                                 "0,1,2,99999999999", "Natural"}) {
    EXPECT_THAT(error(text), HasSubstr("natural, random, or each label")) << text;
  }
}

}  // namespace class_order_test
}  // namespace gps
