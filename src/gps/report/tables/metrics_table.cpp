#include "gps/report/tables/metrics_table.h"

#include <fmt/format.h>

namespace gps {
namespace {

std::string percent(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", 100 * *value) : "-";
}

}  // namespace

Table metrics_table(const RunResult& result) {
  const Metrics& metrics = result.metrics;
  Table table = {{"metric", "%"},
                 {"average accuracy", percent(metrics.average_accuracy)},
                 {"average class accuracy", percent(result.average_class_accuracy)},
                 {"learning accuracy", percent(metrics.learning_accuracy)},
                 {"backward transfer", percent(metrics.backward_transfer)},
                 {"forward transfer", percent(metrics.forward_transfer)},
                 {"forgetting", percent(metrics.forgetting)},
                 {"average incremental accuracy", percent(metrics.average_incremental_accuracy)}};
  if (result.class_incremental) {
    table.push_back({"class-incremental accuracy",
                     percent(result.class_incremental->metrics.average_accuracy)});
  }
  return table;
}

}  // namespace gps
