#include "gps/experiments/leading.h"

#include <gtest/gtest.h>

namespace gps {
namespace leading_test {

TEST(Leading, IsAmongAllClassesIfTasksHaveTheirOwn) {
  RunResult result;
  result.accuracy = {{0.9, 0}, {0.8, 0.7}};
  result.metrics = compute_metrics(result.accuracy, {});
  EXPECT_FALSE(is_led_by_all_classes(result));
  EXPECT_EQ(leading_accuracy(result), result.accuracy);
  EXPECT_DOUBLE_EQ(leading_metrics(result).average_accuracy(), 0.75);
  const AccuracyMatrix among_all = {{0.9, 0}, {0.1, 0.5}};
  result.class_incremental = {among_all, {}, compute_metrics(among_all, {})};
  EXPECT_TRUE(is_led_by_all_classes(result));
  EXPECT_EQ(leading_accuracy(result), among_all);
  EXPECT_DOUBLE_EQ(leading_metrics(result).average_accuracy(), 0.3);
}

}  // namespace leading_test
}  // namespace gps
