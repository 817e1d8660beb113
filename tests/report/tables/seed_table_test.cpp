#include "gps/report/tables/seed_table.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace gps {
namespace seed_table_test {

SeedTable example() {
  return {{"future", "task"},
          {{"loss", 3}, {{"accuracy", "%"}, 1}},
          {{{"offline", Cell::count(1)}, {{0.25, 0.75}, {0.5}}},
           {{"rotation", Cell::count(2)}, {{1}, {}}}}};
}

using Texts = std::vector<std::string>;

TEST(SeedTable, ShowsMeansAndDeviations) {
  const Table table = shown(example());
  EXPECT_EQ(heads_of(table), (Texts{"future", "task", "loss", "accuracy %"}));
  // The deviation of a quarter and three quarters is sqrt(2)/4.
  EXPECT_EQ(texts_of(table.rows[0]), (Texts{"offline", "1", "0.500 ± 0.354", "50.0"}));
  EXPECT_EQ(texts_of(table.rows[1]), (Texts{"rotation", "2", "1.000", "-"}));
}

TEST(SeedTable, GivesProgramsPlainNumbers) {
  EXPECT_EQ(csv_table(plain(example())),
            "future,task,loss,loss deviation,loss seeds,accuracy %,accuracy % deviation,"
            "accuracy % seeds\r\n"
            "offline,1,0.5,0.3535533905932738,2,50,,1\r\n"
            "rotation,2,1,,1,,,0\r\n");
}

TEST(SeedTable, GivesAllValuesAsJson) {
  const nlohmann::json json = to_json(example());
  EXPECT_EQ(json[0].at("future"), "offline");
  EXPECT_EQ(json[0].at("task"), 1) << "a number, not its text";
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
