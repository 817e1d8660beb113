#include "gps/core/option_table.h"

#include <gtest/gtest.h>

#include "support/complaint.h"

namespace gps {
namespace option_table_test {

using testing::complaint;

using Wholes = std::vector<int>;
using Reals = std::vector<double>;

enum class Colour { red, green };
struct Paint {
  float share = 0.1f;
  double depth = 0.1;
  int coats = 2;
  bool is_matt = false;
  Colour colour = Colour::red;
  std::string maker = "own";
  Reals mix = {0.5};
  Wholes layers = {};
};

const OptionTable<Paint>& paint_options() {
  static const OptionTable<Paint> table = {
      option("share", &Paint::share, "of all").between(0, 1),
      option("depth", &Paint::depth, "in metres").above(0).below(1),
      option("coats", &Paint::coats, "one over the other").flag("n").at_least(1).called("COATS"),
      option("is_matt", &Paint::is_matt, "no gloss").silent(),
      choice("colour", &Paint::colour, {{"red", Colour::red}, {"green", Colour::green}}, "which")
          .short_for("g", "green"),
      one_of("maker", &Paint::maker, {"own", "other"}, "whose").only_if("colour", "green"),
      option("mix", &Paint::mix, "of pigments")
          .usually("half and half")
          .in_paper({{"walls", "", Reals{1}}}),
      option("layers", &Paint::layers, "below"),
  };
  return table;
}

TEST(OptionTable, HasARowForEachMemberWithItsUsualValue) {
  const std::vector<Option> rows = paint_options().rows();
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[0].usual, OptionValue(0.1)) << "not 0.10000000149";
  EXPECT_TRUE(rows[0].is_single);
  EXPECT_EQ(rows[1].usual, OptionValue(0.1));
  EXPECT_FALSE(rows[1].is_single);
  EXPECT_EQ(rows[2].flag, "n");
  EXPECT_EQ(rows[2].value_name, "COATS");
  EXPECT_EQ(rows[3].flag, "is-matt") << "dashes for underscores";
  EXPECT_TRUE(rows[3].is_silent);
  EXPECT_EQ(rows[3].kind, OptionKind::flag);
  EXPECT_EQ(rows[4].usual, OptionValue("red"));
  EXPECT_EQ(rows[4].names, (std::vector<std::string>{"red", "green"}));
  EXPECT_EQ(rows[4].short_names.at("g"), "green");
  EXPECT_EQ(rows[5].kind, OptionKind::name);
  EXPECT_EQ(rows[6].usual, OptionValue(Reals{0.5}));
  EXPECT_EQ(rows[6].usual_text, "half and half");
  EXPECT_EQ(paper_value(rows[6], "walls", "anyone"), OptionValue(Reals{1}));
  EXPECT_EQ(rows[7].kind, OptionKind::wholes);
}

TEST(OptionTable, ReadsSettingsAndLeavesTheRestAsUsual) {
  const Paint usual = paint_options().read({});
  EXPECT_EQ(usual.share, 0.1f);
  EXPECT_EQ(usual.coats, 2);
  EXPECT_EQ(usual.colour, Colour::red);
  Settings settings;
  settings["share"] = 0.7;
  settings["depth"] = 0.7;
  settings["is_matt"] = true;
  settings["colour"] = "green";
  settings["maker"] = "other";
  settings["mix"] = Reals{0.25, 0.75};
  settings["layers"] = Wholes{3};
  settings["speed"] = "somebody else's";
  const Paint paint = paint_options().read(settings);
  EXPECT_EQ(paint.share, 0.7f);
  EXPECT_EQ(paint.depth, 0.7);
  EXPECT_EQ(paint.coats, 2);
  EXPECT_TRUE(paint.is_matt);
  EXPECT_EQ(paint.colour, Colour::green);
  EXPECT_EQ(paint.maker, "other");
  EXPECT_EQ(paint.mix, (Reals{0.25, 0.75}));
  EXPECT_EQ(paint.layers, Wholes{3});
}

TEST(OptionTable, RefusesSettingsThatCannotBe) {
  const auto said = [](const char* key, const OptionValue& value) {
    Settings settings;
    settings[key] = value;
    return complaint([&] { paint_options().read(settings); });
  };
  EXPECT_EQ(said("share", 1), "(fine)") << "a whole number is a number";
  EXPECT_EQ(said("share", 1.5), "`share` must be between 0 and 1, got 1.5");
  EXPECT_EQ(said("depth", 1.0), "`depth` must be above 0 and below 1, got 1");
  EXPECT_EQ(said("coats", 0), "`n` must be at least 1, got 0");
  EXPECT_EQ(said("coats", 1.5), "`n` must be a whole number, got '1.5'");
  EXPECT_EQ(said("colour", "blue"), "`colour` must be one of red, green, got 'blue'");
  EXPECT_EQ(said("maker", "nobody"), "`maker` must be one of own, other, got 'nobody'");
}

TEST(OptionTable, ReadsWithOtherUsualValues) {
  std::vector<Option> rows = paint_options().rows();
  rows[2].usual = 5;
  EXPECT_EQ(paint_options().read({}, rows).coats, 5);
  Settings settings;
  settings["coats"] = 3;
  EXPECT_EQ(paint_options().read(settings, rows).coats, 3);
}

TEST(OptionTable, ChecksAllMembers) {
  Paint paint;
  EXPECT_EQ(complaint([&] { paint_options().check_all(paint); }), "(fine)");
  paint.coats = 0;
  EXPECT_EQ(complaint([&] { paint_options().check_all(paint); }), "`n` must be at least 1, got 0");
}

TEST(OptionTable, GetsWhatItSets) {
  for (const BoundOption<Paint>& each : paint_options()) {
    Paint paint;
    EXPECT_EQ(each.get(paint), each.row.usual) << each.row.key;
  }
  const auto share = *paint_options().begin();
  Paint paint;
  share.set(paint, 0.3);
  EXPECT_EQ(paint.share, 0.3f);
  EXPECT_EQ(share.get(paint), OptionValue(0.3));
}

TEST(OptionTable, KeepsAllBitsOfALargeNumber) {
  struct Draw {
    std::uint64_t seed = 7;
  };
  const OptionTable<Draw> table = {large("seed", &Draw::seed, "of all draws")};
  const BoundOption<Draw>& seed = *table.begin();
  EXPECT_EQ(seed.row.usual, OptionValue(std::uint64_t{7}));
  Draw draw;
  seed.set(draw, parse(seed.row, "18446744073709551615"));
  EXPECT_EQ(text_of(seed.get(draw)), "18446744073709551615");
}

TEST(CountOrBytes, SetsOneOfTwoMembers) {
  struct Owner {
    int memory = 10;
    std::uint64_t memory_bytes = 0;
  };
  const auto bound = count_or_bytes("memory", &Owner::memory, &Owner::memory_bytes, "help");
  Owner owner;
  EXPECT_EQ(bound.get(owner), OptionValue(10));
  bound.set(owner, ByteCount{500});
  EXPECT_EQ(bound.get(owner), OptionValue(ByteCount{500}));
  bound.set(owner, 20);
  EXPECT_EQ(bound.get(owner), OptionValue(20)) << "the bytes are gone";
}

TEST(OnlyIf, MakesAnOptionOfConcernWhereAnotherHasThatValue) {
  const std::vector<Option> rows = paint_options().rows();
  const Option& maker = *find_option(rows, "maker");
  Settings settings;
  EXPECT_FALSE(is_of_concern(maker, rows, settings)) << "red is usual";
  settings["colour"] = "green";
  EXPECT_TRUE(is_of_concern(maker, rows, settings));
  settings["colour"] = "red";
  EXPECT_FALSE(is_of_concern(maker, rows, settings));
  EXPECT_TRUE(is_of_concern(rows[0], rows, settings)) << "always";
}

}  // namespace option_table_test
}  // namespace gps
