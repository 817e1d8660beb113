#include "gps/report/tables/metrics_table.h"

namespace gps {

Table metrics_table(const RunResult& result) {
  Table table = {"metric", "%"};
  for (const Metric& metric : metric_catalog())
    table.rows.push_back({metric.title, Cell::percent(result.metrics[metric.name])});
  if (result.class_incremental) {
    table.rows.push_back({"class-incremental accuracy",
                          Cell::percent(result.class_incremental->metrics.average_accuracy())});
  }
  return table;
}

}  // namespace gps
