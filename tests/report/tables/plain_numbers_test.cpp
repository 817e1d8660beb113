#include "gps/report/tables/plain_numbers.h"

#include <gtest/gtest.h>

namespace gps {
namespace plain_numbers_test {

TEST(PlainNumbers, DeviationsIntervalsAndCountsGetColumnsOfTheirOwn) {
  const Table table = {{"runs", "accuracy %", "vs a", "one minimum", "minutes", "time"},
                       {"a", "85.12 ± 0.34", "", "3 of 5", "4.20 and 0.31", "2.7 s"},
                       {"b", "84.00", "+0.58 [-0.54, +1.71]", "-", "-", "1.0 s"},
                       {"c", "-", "-1.00", "0 of 5", "1.00 and 2.00", ""}};
  const Table expected = {
      {"runs", "accuracy %", "accuracy % deviation", "vs a", "vs a low", "vs a high", "one minimum",
       "one minimum of", "minutes", "minutes and", "time s"},
      {"a", "85.12", "0.34", "", "", "", "3", "5", "4.20", "0.31", "2.7"},
      {"b", "84.00", "", "+0.58", "-0.54", "+1.71", "", "", "", "", "1.0"},
      {"c", "", "", "-1.00", "", "", "0", "5", "1.00", "2.00", ""}};
  EXPECT_EQ(plain_numbers(table), expected);
}

TEST(PlainNumbers, WordsStayAsTheyAre) {
  const Table table = {{"claim", "by", "mixed", "7 of 9"},
                       {"-", "85.1 ± 0.3 against 84", "1 ± 2", "word"},
                       {"gps", "-", "1 of 2", "-"}};
  EXPECT_EQ(plain_numbers(table), table);
}

TEST(PlainNumbers, NothingAmongNumbersIsEmpty) {
  EXPECT_EQ(plain_numbers({{"seeds"}, {"5"}, {"-"}}), (Table{{"seeds"}, {"5"}, {""}}));
  EXPECT_EQ(plain_numbers({{"seeds"}, {"-"}}), (Table{{"seeds"}, {"-"}})) << "of words, perhaps";
}

}  // namespace plain_numbers_test
}  // namespace gps
