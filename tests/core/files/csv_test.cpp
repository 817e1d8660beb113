#include "gps/core/files/csv.h"

#include <gmock/gmock.h>

#include "gps/core/errors.h"

namespace gps {
namespace csv_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string error(const std::string& text) {
  try {
    parse_csv(text, "m.csv");
  } catch (const DataError& refusal) {
    return refusal.what();
  }
  return "no error";
}

TEST(Csv, HasFieldsBetweenCommasAndARowALine) {
  const auto rows = parse_csv("a,b,c\n1,,3\n", "m.csv");
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_THAT(rows[0].fields, ElementsAre("a", "b", "c"));
  EXPECT_THAT(rows[1].fields, ElementsAre("1", "", "3"));
  EXPECT_EQ(rows[1].line, 2);
}

TEST(Csv, MayEndLinesInCrLfBeginWithAMarkAndLackTheLastLineEnd) {
  const auto rows = parse_csv("\xEF\xBB\xBFpath,label\r\na.png,cat\r\n\r\nb.png,dog", "m.csv");
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_THAT(rows[0].fields, ElementsAre("path", "label"));
  EXPECT_THAT(rows[1].fields, ElementsAre("a.png", "cat"));
  EXPECT_THAT(rows[2].fields, ElementsAre("b.png", "dog"));
  EXPECT_EQ(rows[2].line, 4);
}

TEST(Csv, MayHaveAnythingInQuotes) {
  const auto rows =
      parse_csv("\"a,b\",\"c \"\"d\"\"\"\r\n\"two\nlines\",\"\"\nlast,row\n", "m.csv");
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_THAT(rows[0].fields, ElementsAre("a,b", "c \"d\""));
  EXPECT_THAT(rows[1].fields, ElementsAre("two\nlines", ""));
  EXPECT_EQ(rows[1].line, 2);
  EXPECT_EQ(rows[2].line, 4);
}

TEST(Csv, OfNothingHasNoRows) { EXPECT_THAT(parse_csv("\n\r\n", "m.csv"), IsEmpty()); }

TEST(Csv, WithStrayQuotesNamesTheLine) {
  EXPECT_EQ(error("a\n\"open,b\nc\n"), "m.csv:2: an opening quote without a closing one");
  EXPECT_EQ(error("a\nx\"y\n"),
            "m.csv:2: a quote within a field; expected the whole field in quotes");
  EXPECT_EQ(error("\"a\"b,c\n"), "m.csv:1: text between a closing quote and the next comma");
}

TEST(CsvField, IsReadAsItWas) {
  for (const std::string text : {"", "a", "a,b", "\"a\"", "two\nlines", "x\r", "'a'", " a "}) {
    const auto rows = parse_csv(csv_field(text) + ",end\n", "m.csv");
    ASSERT_THAT(rows, SizeIs(1));
    EXPECT_THAT(rows[0].fields, ElementsAre(text, "end"));
  }
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a \"b\""), "\"a \"\"b\"\"\"");
}

TEST(GuardedText, IsNoFormulaForASpreadsheet) {
  EXPECT_EQ(guarded_text("=1+1"), "'=1+1");
  EXPECT_EQ(guarded_text("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(guarded_text("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
  EXPECT_EQ(guarded_text("-2+3"), "'-2+3");
  EXPECT_EQ(guarded_text("--5"), "'--5");
  EXPECT_EQ(guarded_text("-inf"), "'-inf");
  EXPECT_EQ(guarded_text("\t=1"), "'\t=1");
  EXPECT_EQ(guarded_text("\r=1"), "'\r=1");
}

TEST(GuardedText, LeavesNumbersAndOtherTextsAsTheyAre) {
  for (const char* text : {"", "a", "a=b", "-", "=", "+1.2", "-0.58", "-1e-05", "+.5", "0", "'",
                           "''", "'tis", "'-1", "ö", "–"})
    EXPECT_EQ(guarded_text(text), text);
}

TEST(GuardedText, CanBeReadBack) {
  for (const char* text : {"", "=1+1", "'=1+1", "''=1+1", "-x", "-1", "'-1", "'a", "'", "-", "'-"})
    EXPECT_EQ(unguarded_text(guarded_text(text)), text);
}

}  // namespace csv_test
}  // namespace gps
