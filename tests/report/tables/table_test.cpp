#include "gps/report/tables/table.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "gps/core/rng.h"
#include "gps/core/text/text.h"

namespace gps {
namespace table_test {

using Texts = std::vector<std::string>;

TEST(Cell, WritesEachKindOfNumber) {
  EXPECT_EQ(Cell::count(0).text(), "0");
  EXPECT_EQ(Cell::count(18446744073709551615u).text(), "18446744073709551615");
  EXPECT_EQ(Cell::number(2.0 / 3, 3).text(), "0.667");
  EXPECT_EQ(Cell::number(-0.5, 0).text(), "-0");
  EXPECT_EQ(Cell::change(0.5, 2).text(), "+0.50");
  EXPECT_EQ(Cell::change(-25.554, 2).text(), "-25.55");
  EXPECT_EQ(Cell::significant(3.535533, 6).text(), "3.53553");
  EXPECT_EQ(Cell::significant(90, 6).text(), "90");
  EXPECT_EQ(Cell::exact(0.1).text(), "0.1");
  EXPECT_EQ(Cell::exact(1.0 / 3).text(), "0.3333333333333333");
  EXPECT_EQ(Cell::percent(0.8512).text(), "85.12");
  EXPECT_EQ(Cell::percent(0.8512, 1).text(), "85.1");
  EXPECT_EQ(Cell::percent(std::nullopt).text(), "-");
  EXPECT_EQ(Cell::seconds(2.72).text(), "2.7 s");
}

TEST(Cell, GivesProgramsNumbersAndNoText) {
  EXPECT_EQ(Cell("words").json(), "words");
  EXPECT_EQ(Cell::count(7).json(), 7);
  EXPECT_EQ(Cell::significant(1.0 / 3, 2).json(), 1.0 / 3) << "with all digits";
  EXPECT_EQ(Cell::share(3, 5).json(), nlohmann::json({3, 5}));
  EXPECT_TRUE(Cell::missing().json().is_null());
}

TEST(Cell, OfANumberInOtherWordsGivesProgramsTheNumber) {
  const Cell cell = Cell::said(3725, "1:02:05");
  EXPECT_EQ(cell.text(), "1:02:05");
  EXPECT_EQ(cell.json(), 3725);
  Table table = {"left"};
  table.rows = {{cell}};
  EXPECT_EQ(csv_table(table), "left\r\n3725\r\n");
}

TEST(Cell, AMeanHasItsDeviationIfItIsKnown) {
  EXPECT_EQ(Cell::mean(Summary{85.123, 0.341}).text(), "85.12 ± 0.34");
  EXPECT_EQ(Cell::mean(Summary{85.123, {}}).text(), "85.12");
  // 1 and 3: mean 2, deviation sqrt(2).
  EXPECT_EQ(Cell::mean(std::vector<double>{1, 3}, 3).text(), "2.000 ± 1.414");
  EXPECT_EQ(Cell::mean(BySeed{{0, 1}, {7, 3}}).text(), "2.00 ± 1.41");
  EXPECT_EQ(Cell::mean(std::vector<double>{4}).text(), "4.00");
  EXPECT_EQ(Cell::mean(std::vector<double>{}).text(), "-");
  EXPECT_EQ(Cell::mean(std::optional<Summary>()).text(), "-");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Cell::mean(std::vector<double>{1, infinity}).text(), "inf") << "no deviation from it";
}

TEST(Cell, ADifferenceHasItsIntervalIfItIsKnown) {
  EXPECT_EQ(Cell::difference(PairedDifference{0.58, 1.125}).text(), "+0.58 [-0.55, +1.71]");
  EXPECT_EQ(Cell::difference(PairedDifference{-1, {}}).text(), "-1.00");
  EXPECT_EQ(Cell::difference(std::nullopt).text(), "-");
}

TEST(Cell, WritesIntervalsSharesAndPairs) {
  EXPECT_EQ(Cell::within(85.12, 1, {79.6, 90.4}, 0).text(), "85.1 [80, 90]");
  EXPECT_EQ(Cell::share(3, 5).text(), "3 of 5");
  EXPECT_EQ(Cell::both(4.2, 0.314).text(), "4.20 and 0.31");
}

TEST(Cell, WordsAndWhatIsMissingHaveNoNumbers) {
  EXPECT_EQ(Cell("85.12").form(), Cell::Form::words);
  EXPECT_EQ(Cell::missing().text(), "-");
  EXPECT_EQ(Cell::missing("–").text(), "–");
  EXPECT_EQ(Cell::nothing().text(), "");
  for (const Cell& cell : {Cell("85.12"), Cell::missing(), Cell::nothing()})
    EXPECT_TRUE(cell.numbers().empty());
}

// One cell of each form, and words that each format has to escape.
Table example() {
  Table table = {"a_1", {"accuracy", "%"}, "vs a", "one minimum", "minutes", "time", "seeds"};
  table.rows = {{"x, \"y\" | 5 %", Cell::mean(Summary{85.12, 0.34}), Cell::nothing(),
                 Cell::share(3, 5), Cell::both(4.2, 0.31), Cell::seconds(2.7), Cell::count(2)},
                {"b", Cell::number(84, 2), Cell::difference(PairedDifference{0.58, 1.125}),
                 Cell::missing(), Cell::missing(), Cell::seconds(1), Cell::count(1)},
                {"c", Cell::missing(), Cell::change(-1, 2), Cell::share(0, 5), Cell::both(1, 2),
                 Cell::nothing(), Cell::missing()}};
  return table;
}

TEST(TextTable, AlignsItsColumns) {
  EXPECT_EQ(text_table(example()),
            "a_1            accuracy %     vs a                   one minimum   minutes         "
            "time    seeds\n"
            "x, \"y\" | 5 %   85.12 ± 0.34                          3 of 5        4.20 and 0.31   "
            "2.7 s   2\n"
            "b              84.00          +0.58 [-0.55, +1.71]   -             -               "
            "1.0 s   1\n"
            "c              -              -1.00                  0 of 5        1.00 and 2.00   "
            "        -\n");
}

TEST(TextTable, EscapesControlCharactersInNames) {
  Table table = {"name\x1b", "n"};
  table.rows = {{"a\nb", Cell::count(1)}};
  EXPECT_EQ(text_table(table),
            "name\\x1b   n\n"
            "a\\nb       1\n");
  EXPECT_EQ(markdown_table(table),
            "| name\\x1b | n |\n"
            "|---|---|\n"
            "| a\\nb | 1 |\n");
  EXPECT_EQ(json_table(table)["head"][0], "name\x1b") << "JSON has escapes of its own";
}

TEST(CsvTable, HasOneNumberACellAndQuotesWhereNeeded) {
  EXPECT_EQ(csv_table(example()),
            "a_1,accuracy %,accuracy % deviation,vs a,vs a low,vs a high,one minimum,one minimum "
            "of,minutes,minutes and,time s,seeds\r\n"
            "\"x, \"\"y\"\" | 5 %\",85.12,0.34,,,,3,5,4.20,0.31,2.7,2\r\n"
            "b,84.00,,+0.58,-0.55,+1.71,,,,,1.0,1\r\n"
            "c,,,-1.00,,,0,5,1.00,2.00,,\r\n");
}

TEST(CsvTable, HasNoFormulasButNumbersWithSigns) {
  Table table = {"=head", "difference", "mixed"};
  table.rows = {{"=1+1", Cell::change(1.2, 1), Cell::change(-1.5, 1)},
                {"+a, b", Cell::difference(PairedDifference{-1, 0.5}, 1), "@b"},
                {"-0.01", Cell::missing(), Cell::missing()}};
  EXPECT_EQ(csv_table(table),
            "'=head,difference,difference low,difference high,mixed\r\n"
            "'=1+1,+1.2,,,-1.5\r\n"
            "\"'+a, b\",-1.0,-1.5,-0.5,'@b\r\n"
            "-0.01,,,,-\r\n");
}

TEST(CsvTable, WritesColumnsOfWordsAndOfSeveralFormsAsTheyAreShown) {
  Table table = {"words", "mixed", "with words", "missing"};
  table.rows = {{"1 ± 2", Cell::mean(Summary{1, 2}), Cell::count(7), Cell::missing()},
                {"3 of 4", Cell::share(1, 2), "word", Cell::nothing()},
                {"-", Cell::missing(), Cell::missing(), Cell::missing()}};
  EXPECT_EQ(csv_table(table),
            "words,mixed,with words,missing\r\n"
            "1 ± 2,1.00 ± 2.00,7,-\r\n"
            "3 of 4,1 of 2,word,\r\n"
            "-,-,-,-\r\n");
}

TEST(MarkdownTable, EscapesItsBars) {
  Table table = {"a", "b_1"};
  table.rows = {{Cell::mean(Summary{1, 2}, 0), "x | 5 %"}};
  EXPECT_EQ(markdown_table(table), "| a | b_1 |\n|---|---|\n| 1 ± 2 | x \\| 5 % |\n");
}

TEST(LatexTable, EscapesItsCharacters) {
  Table table = {"a", "b_1"};
  table.rows = {{Cell::mean(Summary{1, 2}, 0), "x & y_2 5 % \\ ~"}};
  EXPECT_EQ(latex_table(table),
            "\\begin{tabular}{ll}\n\\toprule\na & b\\_1 \\\\\n\\midrule\n"
            "1 $\\pm$ 2 & x \\& y\\_2 5 \\% \\textbackslash{} \\~{} \\\\\n"
            "\\bottomrule\n\\end{tabular}\n");
}

TEST(JsonTable, IsWhatIsShown) {
  const nlohmann::json json = json_table(example());
  EXPECT_EQ(json.at("head"), nlohmann::json(heads_of(example())));
  ASSERT_EQ(json.at("rows").size(), 3u);
  EXPECT_EQ(json.at("rows")[1][2], "+0.58 [-0.55, +1.71]");
  EXPECT_EQ(json_table(Table{"a", "b"}),
            nlohmann::json::parse(R"({"head": ["a", "b"], "rows": []})"));
}

TEST(Tables, WithoutRowsHaveTheirHead) {
  const Table table = {"a", {"b", "%"}};
  EXPECT_TRUE(table.is_empty());
  EXPECT_EQ(text_table(table), "a   b %\n");
  EXPECT_EQ(csv_table(table), "a,b %\r\n");
  EXPECT_EQ(markdown_table(table), "| a | b % |\n|---|---|\n");
}

// Any cell of a form, or a cell of one number, or nothing.
Cell drawn_cell(Cell::Form form, Rng& rng) {
  const auto draw = [&] { return 200 * rng.uniform() - 100; };
  const auto digits = static_cast<int>(rng.index(4));
  if (rng.index(5) == 0) return Cell::missing();
  switch (form) {
    case Cell::Form::deviation:
      return Cell::mean(Summary{draw(), rng.index(2) == 0 ? std::nullopt : std::optional(draw())},
                        digits);
    case Cell::Form::interval:
      return Cell::difference(
          PairedDifference{draw(), rng.index(2) == 0 ? std::nullopt : std::optional(draw())},
          digits);
    case Cell::Form::share:
      return Cell::share(rng.index(100), rng.index(100));
    case Cell::Form::both:
      return Cell::both(draw(), draw(), digits);
    case Cell::Form::seconds:
      return Cell::seconds(draw(), digits);
    case Cell::Form::words:
      return "word " + std::to_string(rng.index(1000));
    default:
      return rng.index(2) == 0 ? Cell::exact(draw()) : Cell::significant(draw(), 1 + digits);
  }
}

std::multiset<std::string> numbers_in(const std::string& text) {
  static const std::regex number("[-+]?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?");
  return {std::sregex_token_iterator(text.begin(), text.end(), number), {}};
}

TEST(Tables, EveryNumberOfTheTextIsInTheCsvAndStandsAloneThere) {
  using Form = Cell::Form;
  constexpr std::array kForms = {Form::words, Form::number, Form::deviation, Form::interval,
                                 Form::share, Form::both,   Form::seconds};
  Rng rng(7);
  for (int times = 0; times < 200; ++times) {
    std::vector<Form> forms;
    Table table;
    for (std::uint64_t c = 0; c < 1 + rng.index(6); ++c) {
      forms.push_back(kForms.at(rng.index(kForms.size())));
      table.columns.emplace_back("head");
    }
    for (std::uint64_t r = 0; r < rng.index(8); ++r) {
      Row row;
      for (const Form form : forms) row.push_back(drawn_cell(form, rng));
      table.rows.push_back(std::move(row));
    }
    EXPECT_EQ(numbers_in(text_table(table)), numbers_in(csv_table(table))) << text_table(table);
    for (const std::string& line : split(csv_table(table), '\n')) {
      for (const std::string& cell : split(line, ','))
        EXPECT_LE(numbers_in(cell).size(), 1u) << cell;
    }
  }
}

}  // namespace table_test
}  // namespace gps
