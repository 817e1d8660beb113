#include "gps/report/tables/seed_table.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace gps {
namespace seed_table_test {

SeedTable example() {
  return {{"future", "task"},
          {{"loss", 1, 3}, {"accuracy %", 100, 1}},
          {{{"offline", "1"}, {{0.25, 0.75}, {0.5}}}, {{"rotation", "2"}, {{1}, {}}}}};
}

TEST(SeedTable, ShowsMeansAndDeviations) {
  const Table table = shown(example());
  EXPECT_EQ(table[0], (std::vector<std::string>{"future", "task", "loss", "accuracy %"}));
  // The deviation of a quarter and three quarters is sqrt(2)/4.
  EXPECT_EQ(table[1], (std::vector<std::string>{"offline", "1", "0.500 ± 0.354", "50.0"}));
  EXPECT_EQ(table[2], (std::vector<std::string>{"rotation", "2", "1.000", "-"}));
}

TEST(SeedTable, GivesProgramsPlainNumbers) {
  const Table table = plain(example());
  ASSERT_EQ(table[0].size(), 8u);
  EXPECT_EQ(table[0][3], "loss deviation");
  EXPECT_EQ(table[1][2], "0.5");
  EXPECT_EQ(table[1][4], "2");
  EXPECT_EQ(table[1][5], "50");
  EXPECT_EQ(table[1][6], "");
  EXPECT_EQ(table[2][5], "");
  EXPECT_EQ(table[2][7], "0");
}

TEST(SeedTable, GivesAllValuesAsJson) {
  const nlohmann::json json = to_json(example());
  EXPECT_EQ(json[0].at("future"), "offline");
  EXPECT_EQ(json[0].at("loss").at("values"), (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(json[0].at("accuracy").at("mean"), 0.5);
  EXPECT_TRUE(json[0].at("accuracy").at("deviation").is_null());
  EXPECT_TRUE(json[1].at("accuracy").is_null());
  EXPECT_FALSE(json[0].contains("accuracy %")) << "which 0.5 is not";
}

TEST(SparkLine, GoesFromTheLowestToTheHighest) {
  EXPECT_EQ(spark_line(std::vector<double>{0, 7, 3, 1}), "▁█▄▂");
  EXPECT_EQ(spark_line(std::vector<double>{5, 5}), "▁▁");
  EXPECT_EQ(spark_line(std::vector<double>{0, std::numeric_limits<double>::infinity()}), "▁█");
  EXPECT_EQ(spark_line(std::vector<double>{}), "");
}

}  // namespace seed_table_test
}  // namespace gps
