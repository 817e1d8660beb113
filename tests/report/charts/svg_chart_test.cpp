#include "gps/report/charts/svg_chart.h"

#include <gmock/gmock.h>

namespace gps {
namespace svg_chart_test {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(SvgChart, LabelsAnAxisOfOneValueWithShortNumbers) {
  // 99.99999999999999 and 100 are the same but for rounding.
  for (const double low : {100.0, 99.99999999999999}) {
    const std::string svg =
        svg_dot_chart({.title = "accuracy", .x = "%", .y = ""},
                      {{.label = "a", .mean = 100, .half_width = {}, .values = {low, 100}}});
    EXPECT_THAT(svg, HasSubstr(">100</text>"));
    EXPECT_THAT(svg, HasSubstr(">99</text>"));
    EXPECT_THAT(svg, HasSubstr(">101</text>"));
    EXPECT_THAT(svg, Not(HasSubstr("100.0000")));
  }
}

}  // namespace svg_chart_test
}  // namespace gps
