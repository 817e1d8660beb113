#include "gps/report/tables/metrics_table.h"

#include "gps/experiments/leading.h"

namespace gps {

Table metrics_table(const RunResult& result) {
  Table table = {"metric", "%"};
  const auto add = [&](const Metrics& metrics, const std::string& among) {
    for (const Metric& metric : metric_catalog()) {
      const std::optional<double> value = metrics[metric.name];
      if (!among.empty() && !value) continue;
      table.rows.push_back({metric.title + among, Cell::percent(value)});
    }
  };
  if (is_led_by_all_classes(result)) {
    add(leading_metrics(result), ", all classes");
    add(result.metrics, ", own classes");
  } else {
    add(result.metrics, "");
  }
  return table;
}

}  // namespace gps
