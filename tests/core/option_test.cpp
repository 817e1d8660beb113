#include "gps/core/option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace gps {
namespace option_test {

using Wholes = std::vector<int>;
using Reals = std::vector<double>;

// One of each kind.
const Option kFlag{.key = "is_short", .flag = "is-short", .kind = OptionKind::flag, .usual = false};
const Option kWhole{.key = "memory", .flag = "memory", .kind = OptionKind::whole, .usual = 10};
const Option kLarge{
    .key = "seed", .flag = "seed", .kind = OptionKind::large, .usual = std::uint64_t{0}};
const Option kReal{.key = "alpha", .flag = "alpha", .kind = OptionKind::real, .usual = 0.5};
const Option kName{.key = "er_loss",
                   .flag = "er-loss",
                   .kind = OptionKind::name,
                   .usual = "sum",
                   .names = {"sum", "concat"}};
const Option kText{.key = "init", .flag = "init", .kind = OptionKind::text, .usual = ""};
const Option kWholes{
    .key = "hidden", .flag = "hidden", .kind = OptionKind::wholes, .usual = Wholes{100, 100}};
const Option kReals{.key = "ring", .flag = "ring", .kind = OptionKind::reals, .usual = Reals{0.5}};

const Option kSize{.key = "memory", .flag = "memory", .kind = OptionKind::size, .usual = 10};

template <typename Function>
std::string complaint(const Function& function) {
  try {
    function();
  } catch (const OptionError& error) {
    EXPECT_EQ(error.what(), "`" + error.flag() + "` " + error.problem());
    return error.what();
  }
  return "(fine)";
}
std::string parse_complaint(const Option& option, const std::string& text) {
  return complaint([&] { parse(option, text); });
}
std::string check_complaint(const Option& option, const OptionValue& value) {
  return complaint([&] { check(option, value); });
}

TEST(OptionText, IsWhatTheCommandLineSays) {
  EXPECT_EQ(text_of(true), "true");
  EXPECT_EQ(text_of(false), "false");
  EXPECT_EQ(text_of(-3), "-3");
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(1.0), "1");
  EXPECT_EQ(text_of(1e-5), "1e-05");
  EXPECT_EQ(text_of("sum"), "sum");
  EXPECT_EQ(text_of(Wholes{100, 50}), "100,50");
  EXPECT_EQ(text_of(Wholes{}), "none");
  EXPECT_EQ(text_of(Reals{0.5, 0, 1}), "0.5,0,1");
}

TEST(ParseOption, TakesEachKind) {
  EXPECT_EQ(parse(kWhole, "-12"), OptionValue(-12));
  EXPECT_EQ(parse(kReal, "0.25"), OptionValue(0.25));
  EXPECT_EQ(parse(kReal, "1e-3"), OptionValue(0.001));
  EXPECT_EQ(parse(kReal, "3"), OptionValue(3.0));
  EXPECT_EQ(parse(kName, "concat"), OptionValue("concat"));
  EXPECT_EQ(parse(kText, "a b.pt"), OptionValue("a b.pt"));
  EXPECT_EQ(parse(kWholes, "100,50"), OptionValue(Wholes{100, 50}));
  EXPECT_EQ(parse(kWholes, "none"), OptionValue(Wholes{}));
  EXPECT_EQ(parse(kReals, "0.5,1"), OptionValue(Reals{0.5, 1}));
}

TEST(ParseOption, AFlagThatIsGivenIsNotAsUsual) {
  Option usually_on = kFlag;
  usually_on.usual = true;
  EXPECT_EQ(parse(kFlag, "true"), OptionValue(true));
  EXPECT_EQ(parse(kFlag, "false"), OptionValue(false));
  EXPECT_EQ(parse(usually_on, "true"), OptionValue(false));
  EXPECT_EQ(parse(usually_on, "false"), OptionValue(true));
}

TEST(ParseOption, IsTheWayBackFromText) {
  for (const auto& [option, value] : std::vector<std::pair<Option, OptionValue>>{
           {kFlag, true},
           {kWhole, -7},
           {kLarge, std::numeric_limits<std::uint64_t>::max()},
           {kReal, 0.1},
           {kReal, 1e-10},
           {kReal, 2.0},
           {kName, "concat"},
           {kText, "x/y.pt"},
           {kWholes, Wholes{1, 2, 3}},
           {kWholes, Wholes{}},
           {kReals, Reals{0.1, 0.9}},
       }) {
    EXPECT_EQ(parse(option, text_of(value)), value) << option.key;
  }
}

TEST(ParseOption, UnderstandsWholeNumbersWithAnExponent) {
  EXPECT_EQ(parse(kWhole, "1e3"), OptionValue(1000));
  EXPECT_EQ(parse(kWhole, "2e0"), OptionValue(2));
  EXPECT_EQ(parse(kLarge, "1e10"), OptionValue(std::uint64_t{10000000000}));
  EXPECT_EQ(parse_complaint(kWhole, "1e-3"), "`memory` must be a whole number, got '1e-3'");
  EXPECT_EQ(parse_complaint(kWhole, "1e11"), "`memory` is out of range, got '1e11'");
}

TEST(ParseOption, RefusesWhatIsNoValueOfItsKind) {
  EXPECT_EQ(parse_complaint(kFlag, "yes"), "`is-short` must be true or false, got 'yes'");
  EXPECT_EQ(parse_complaint(kWhole, "ten"), "`memory` must be a whole number, got 'ten'");
  for (const char* text : {"1.5", "", " 1", "1 ", "+1", "0x10", "1,2"}) {
    EXPECT_EQ(parse_complaint(kWhole, text),
              std::string("`memory` must be a whole number, got '") + text + "'");
  }
  EXPECT_EQ(parse_complaint(kWhole, "99999999999"), "`memory` is out of range, got '99999999999'");
  EXPECT_EQ(parse_complaint(kLarge, "-1"), "`seed` must be a whole number, at least 0, got '-1'");
  for (const char* text : {"half", "", "0,5", "0.5x", "nan", "-nan", "inf", "-inf", "infinity"}) {
    EXPECT_EQ(parse_complaint(kReal, text),
              std::string("`alpha` must be a number, got '") + text + "'");
  }
  EXPECT_EQ(parse_complaint(kReal, "1e999"), "`alpha` is out of range, got '1e999'");
  EXPECT_EQ(parse_complaint(kWholes, "100,x"),
            "`hidden` must be 'none' or whole numbers with commas between them, got 'x'");
  EXPECT_EQ(parse_complaint(kReals, "0.5,nan"),
            "`ring` must be numbers with commas between them, got 'nan'");
  EXPECT_EQ(parse_complaint(kReals, "0.5,"),
            "`ring` must be numbers with commas between them, got ''");
}

TEST(SizeOption, IsANumberOrANumberOfBytes) {
  EXPECT_EQ(parse(kSize, "200"), OptionValue(200));
  EXPECT_EQ(parse(kSize, "784kB"), OptionValue(ByteCount{784'000}));
  for (const OptionValue& value : {OptionValue(200), OptionValue(ByteCount{1 << 20})})
    EXPECT_EQ(parse(kSize, text_of(value)), value);
}

TEST(SizeOption, RefusesEverythingElseWithWhatWouldBeRight) {
  for (const char* text : {"ten", "", "1.5", "784kb", "20 MB", "-1kB"}) {
    EXPECT_EQ(
        parse_complaint(kSize, text),
        std::string("`memory` must be a whole number, or a size such as 784kB, 20MB or 1GiB, got '")
            .append(text)
            .append("'"));
  }
  EXPECT_EQ(parse_complaint(kSize, "99999999999"), "`memory` is out of range, got '99999999999'");
  Option some = kSize;
  some.least = 1;
  EXPECT_EQ(check_complaint(some, 0), "`memory` must be at least 1, got 0");
  EXPECT_EQ(check_complaint(some, ByteCount{}), "`memory` must be at least 1B, got 0B");
  EXPECT_EQ(check_complaint(some, ByteCount{1}), "(fine)");
}

TEST(SizeOption, HasAKeyOfItsOwnForBytes) {
  EXPECT_EQ(key_of(kSize, 200), "memory");
  EXPECT_EQ(key_of(kSize, ByteCount{200}), "memory_bytes");
  EXPECT_EQ(to_json(ByteCount{200}), nlohmann::json(200));
}

TEST(ParseOption, NamesTheBoundOfSinglePrecisionAndTheText) {
  Option some = kReal;
  EXPECT_EQ(parse_complaint(some, "1e300"), "(fine)");
  some.is_single = true;
  EXPECT_EQ(parse_complaint(some, "3e38"), "(fine)");
  EXPECT_EQ(parse_complaint(some, "1e300"), "`alpha` must be at most 3.4028235e+38, got '1e300'");
}

TEST(CheckOption, NamesTheRangeAndTheValue) {
  const double inf = std::numeric_limits<double>::infinity();
  Option some = kReal;
  EXPECT_EQ(check_complaint(some, -1e300), "(fine)");
  EXPECT_EQ(check_complaint(some, -inf), "`alpha` must be a finite number, got -inf");
  EXPECT_EQ(check_complaint(some, std::nan("")), "`alpha` must be a finite number, got nan");
  some.is_single = true;
  EXPECT_EQ(check_complaint(some, -3e38), "(fine)");
  EXPECT_EQ(check_complaint(some, -1e300), "`alpha` must be a finite number, got -1e+300");
  some.is_single = false;
  some.least = 0;
  EXPECT_EQ(check_complaint(some, 0.0), "(fine)");
  EXPECT_EQ(check_complaint(some, 0), "(fine)") << "a whole number is a number";
  EXPECT_EQ(check_complaint(some, -0.5), "`alpha` must be at least 0, got -0.5");
  EXPECT_EQ(check_complaint(some, inf), "`alpha` must be at least 0, got inf");
  EXPECT_EQ(check_complaint(some, std::nan("")), "`alpha` must be at least 0, got nan");
  some.excludes_least = true;
  EXPECT_EQ(check_complaint(some, 1e-300), "(fine)");
  EXPECT_EQ(check_complaint(some, 0.0), "`alpha` must be a positive number, got 0");
  some.least = 1;
  EXPECT_EQ(check_complaint(some, 1.0), "`alpha` must be above 1, got 1");
  some.most = 2;
  EXPECT_EQ(check_complaint(some, 2.0), "(fine)");
  EXPECT_EQ(check_complaint(some, 2.5), "`alpha` must be above 1 and at most 2, got 2.5");
  some.excludes_most = true;
  EXPECT_EQ(check_complaint(some, 2.0), "`alpha` must be above 1 and below 2, got 2");
  some.excludes_least = false;
  EXPECT_EQ(check_complaint(some, 2.0), "`alpha` must be at least 1 and below 2, got 2");
  some.excludes_most = false;
  EXPECT_EQ(check_complaint(some, 3.0), "`alpha` must be between 1 and 2, got 3");
}

TEST(CheckOption, IsAboutEachOfAList) {
  Option hidden = kWholes;
  hidden.least = 1;
  EXPECT_EQ(check_complaint(hidden, Wholes{}), "(fine)");
  EXPECT_EQ(check_complaint(hidden, Wholes{5, 0}), "`hidden` must be at least 1, got 0");
  Option ring = kReals;
  ring.least = 0;
  ring.most = 1;
  EXPECT_EQ(check_complaint(ring, Reals{0, 1}), "(fine)");
  EXPECT_EQ(check_complaint(ring, Reals{0, 1.5}), "`ring` must be between 0 and 1, got 1.5");
}

TEST(CheckOption, ListsTheNames) {
  EXPECT_EQ(check_complaint(kName, "concat"), "(fine)");
  EXPECT_EQ(check_complaint(kName, "mean"), "`er-loss` must be one of sum, concat, got 'mean'");
  EXPECT_EQ(check_complaint(kName, ""), "`er-loss` must be one of sum, concat, got ''");
}

TEST(CheckOption, RefusesAnotherKind) {
  EXPECT_EQ(check_complaint(kWhole, 0.5), "`memory` must be a whole number, got '0.5'");
  EXPECT_EQ(check_complaint(kWhole, "ten"), "`memory` must be a whole number, got 'ten'");
  EXPECT_EQ(check_complaint(kLarge, 1), "`seed` must be a whole number, at least 0, got '1'");
  EXPECT_EQ(check_complaint(kReal, true), "`alpha` must be a number, got 'true'");
  EXPECT_EQ(check_complaint(kName, 1), "`er-loss` must be text, got '1'");
  EXPECT_EQ(check_complaint(kFlag, 1), "`is-short` must be true or false, got '1'");
  EXPECT_EQ(check_complaint(kReals, 0.5),
            "`ring` must be numbers with commas between them, got '0.5'");
  EXPECT_EQ(check_complaint(kWholes, Reals{1}),
            "`hidden` must be 'none' or whole numbers with commas between them, got '1'");
}

TEST(Normalised, IsOneFormOfWhatIsTheSame) {
  EXPECT_EQ(normalised(kReal, 1), OptionValue(1.0));
  EXPECT_EQ(normalised(kReal, 0.7), OptionValue(0.7));
  EXPECT_NE(normalised(kReal, static_cast<double>(0.7f)), OptionValue(0.7));
  EXPECT_EQ(normalised(kWhole, 1), OptionValue(1));
  Option single = kReal;
  single.is_single = true;
  EXPECT_EQ(normalised(single, static_cast<double>(0.7f)), OptionValue(0.7));
  EXPECT_EQ(normalised(single, 0.7), OptionValue(0.7));
  EXPECT_EQ(normalised(single, 1), OptionValue(1.0));
  EXPECT_EQ(normalised(single, 0.1 + 1e-12), OptionValue(0.1)) << "the same float";
}

TEST(OptionJson, IsReadBack) {
  for (const auto& [option, value, text] :
       std::vector<std::tuple<Option, OptionValue, std::string>>{
           {kFlag, true, "true"},
           {kWhole, 3, "3"},
           {kLarge, std::uint64_t{1} << 40, "1099511627776"},
           {kReal, 0.1, "0.1"},
           {kReal, 1.0, "1.0"},
           {kName, "concat", "\"concat\""},
           {kText, "a", "\"a\""},
           {kWholes, Wholes{1, 2}, "[1,2]"},
           {kReals, Reals{0.5}, "[0.5]"},
       }) {
    EXPECT_EQ(to_json(value).dump(), text) << option.key;
    EXPECT_EQ(value_from(option, to_json(value)), value) << option.key;
  }
  EXPECT_EQ(value_from(kReal, 1), OptionValue(1.0));
}

TEST(OptionJson, OfAnotherKindIsRefused) {
  for (const double huge : {5.6e48, -5.6e48, 2147483648.0})
    EXPECT_THAT(complaint([&] { value_from(kWhole, huge); }),
                ::testing::HasSubstr("is out of range"));
  EXPECT_EQ(value_from(kWhole, 3.0), OptionValue(3));
  EXPECT_EQ(complaint([] { value_from(kWhole, "ten"); }),
            "`memory` must be a whole number, got \"ten\"");
  EXPECT_EQ(complaint([] { value_from(kReals, 0.5); }),
            "`ring` must be numbers with commas between them, got 0.5");
}

TEST(Options, OfSeveralTablesFollowOneAnother) {
  const std::vector<Option> both = std::vector<Option>{kName} + std::vector<Option>{kWhole, kReal};
  ASSERT_EQ(both.size(), 3u);
  EXPECT_EQ(both[2].key, "alpha");
  EXPECT_EQ(find_option(both, "memory"), &both[1]);
  EXPECT_EQ(find_option(both, "mem"), nullptr);
}

TEST(PaperValue, IsTheFirstThatFitsStreamAndLearner) {
  Option alpha = kReal;
  EXPECT_EQ(paper_value(alpha, "s-cifar-10", "der"), OptionValue(0.5)) << "as usual";
  alpha.in_paper = {{"s-cifar-10", "der++", 0.1}, {"s-cifar-10", "", 0.3}, {"", "der++", 1.0}};
  EXPECT_EQ(paper_value(alpha, "s-cifar-10", "der++"), OptionValue(0.1));
  EXPECT_EQ(paper_value(alpha, "s-cifar-10", "der"), OptionValue(0.3));
  EXPECT_EQ(paper_value(alpha, "p-mnist", "der++"), OptionValue(1.0));
  EXPECT_EQ(paper_value(alpha, "p-mnist", "der"), OptionValue(0.5));
}

}  // namespace option_test
}  // namespace gps
