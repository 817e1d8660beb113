#include "gps/core/text/natural_order.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gps/core/rng.h"

namespace gps {
namespace natural_order_test {

TEST(NaturalOrder, ComparesNumbersAsNumbers) {
  std::vector<std::string> names = {"week10", "week2", "week1", "a", "B",     "week02", "week",
                                    "week2b", "10",    "9",     "",  "x1y10", "x1y9"};
  std::sort(names.begin(), names.end(), natural_less);
  EXPECT_THAT(names, ::testing::ElementsAre("", "9", "10", "B", "a", "week", "week1", "week02",
                                            "week2", "week2b", "week10", "x1y9", "x1y10"));
}

TEST(NaturalOrder, KnowsNumbersOfAnyLength) {
  EXPECT_TRUE(natural_less("99999999999999999999998", "99999999999999999999999"));
  EXPECT_FALSE(natural_less("100000000000000000000000", "99999999999999999999999"));
}

TEST(NaturalOrder, IsAStrictTotalOrder) {
  std::vector<std::string> names;
  Rng rng(1);
  for (int n = 0; n < 60; ++n) {
    std::string name;
    for (std::size_t k = rng.index(5); k > 0; --k) name += "0129a\xC3"[rng.index(6)];
    names.push_back(name);
  }
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      EXPECT_EQ(natural_less(a, b) + natural_less(b, a), a == b ? 0 : 1) << a << " " << b;
      for (const std::string& c : names) {
        if (natural_less(a, b) && natural_less(b, c)) {
          EXPECT_TRUE(natural_less(a, c)) << a << b << c;
        }
      }
    }
  }
}

}  // namespace natural_order_test
}  // namespace gps
