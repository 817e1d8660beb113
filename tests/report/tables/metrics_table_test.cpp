#include "gps/report/tables/metrics_table.h"

#include <gtest/gtest.h>

#include "report/tiny_report.h"

namespace gps {
namespace metrics_table_test {

TEST(MetricsTable, HasEveryMetricOfTheCatalogUnderItsTitleInPercent) {
  const RunResult result = testing::tiny_result("reservoir", 0, 0.5, 0.8);
  const Table table = metrics_table(result);
  ASSERT_EQ(table.rows.size(), metric_catalog().size());
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const Metric& metric = metric_catalog()[k];
    EXPECT_EQ(table.rows[k][0].text(), metric.title);
    EXPECT_EQ(table.rows[k][1].text(), Cell::percent(result.metrics[metric.name]).text());
  }
  EXPECT_EQ(table.rows[0][1].text(), "65.00");
}

TEST(MetricsTable, BeginsWithTheMetricsAmongAllClassesWhereThereAreAny) {
  RunResult result = testing::tiny_result("reservoir", 0, 0.5, 0.8);
  result.class_incremental.emplace();
  result.class_incremental->metrics.set("average_accuracy", 0.25);
  const Table table = metrics_table(result);
  EXPECT_EQ(texts_of(table.rows[0]),
            (std::vector<std::string>{"average accuracy, all classes", "25.00"}));
  EXPECT_EQ(texts_of(table.rows[1]),
            (std::vector<std::string>{"average accuracy, own classes", "65.00"}));
}

}  // namespace metrics_table_test
}  // namespace gps
