#include "gps/memory/example_format.h"

#include <gtest/gtest.h>

#include "gps/core/option.h"

namespace gps {
namespace example_format_test {

constexpr ImageShape kDigit{1, 28, 28};
constexpr ImageShape kColour{3, 32, 32};

std::string complaint(std::uint64_t budget, const ExampleFormat& format, std::size_t logits) {
  try {
    examples_within(budget, format, kDigit, logits);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "(fine)";
}

TEST(ExampleFormat, CountsImageLogitsLabelTaskAndNumber) {
  EXPECT_EQ(bytes_an_example({}, kDigit, 0), 784u + 8);
  EXPECT_EQ(bytes_an_example({}, kDigit, 10), 784u + 40 + 8);
  EXPECT_EQ(bytes_an_example({make_codec("bits:1")}, kDigit, 0), 98u + 8);
  EXPECT_EQ(bytes_an_example({make_codec("bits:1"), LogitsFormat::int8}, kDigit, 10), 98u + 18 + 8);
  EXPECT_EQ(bytes_an_example({make_codec("down:2"), LogitsFormat::float16}, kColour, 100),
            768u + 200 + 8);
}

TEST(ExamplesWithin, IsTheBudgetDividedByTheBytesOfOne) {
  EXPECT_EQ(examples_within(784'000, {}, kDigit, 0), 989u);
  EXPECT_EQ(examples_within(784'000, {make_codec("bits:1")}, kDigit, 0), 7396u);
  EXPECT_EQ(examples_within(792, {}, kDigit, 0), 1u);
  EXPECT_EQ(examples_within(2 * 792 - 1, {}, kDigit, 0), 1u);
}

TEST(ExamplesWithin, NamesTheBytesOfOneExampleIfThereIsNoRoomForIt) {
  EXPECT_EQ(complaint(791, {}, 0),
            "`memory` must be at least 792B, got 791B: one example takes 784 bytes for its image "
            "and 8 for its label, task and number");
  EXPECT_EQ(complaint(50, {make_codec("bits:1"), LogitsFormat::float16}, 10),
            "`memory` must be at least 126B, got 50B: one example takes 98 bytes for its image, 20 "
            "for its logits and 8 for its label, task and number");
}

TEST(ExamplesWithin, RefusesImagesThatTheCodecCannotStore) {
  EXPECT_EQ(complaint(784'000, {make_codec("down:3")}, 0),
            "`codec` down:3 needs images whose height and width are multiples of 3, but these have "
            "28 x 28 pixels");
}

}  // namespace example_format_test
}  // namespace gps
