#include "gps/report/tables/paper_beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "gps/core/statistics.h"
#include "gps/report/paper.h"

namespace gps {
namespace {

// Turns "table2b" into "Table 2b", and "small-memory" into "Small memory".
std::string title_of(std::string item) {
  if (item.starts_with("table")) return "Table " + item.substr(5);
  if (item.starts_with("fig")) return "Figure " + item.substr(3);
  std::replace(item.begin(), item.end(), '-', ' ');
  item.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(item.front())));
  return item;
}

Row row_of(const Printed& printed, const ReportedLine& line) {
  std::vector<double> ours;
  for (const RunResult* result : line.seeds)
    ours.push_back(100 * result->metrics.average_accuracy());
  const Summary summary = summarise(ours);
  const bool has_collapsed =
      std::any_of(line.seeds.begin(), line.seeds.end(),
                  [](const RunResult* result) { return result->has_collapsed; });
  return {fmt::format("{}, {}", printed.row, printed.column),
          has_collapsed ? line.label + " !" : line.label,
          Cell::count(ours.size()),
          Cell::mean(summary),
          Cell::mean(Summary{printed.value, printed.deviation}),
          has_collapsed ? Cell::missing() : Cell::change(summary.mean - printed.value, 2)};
}

}  // namespace

std::vector<PaperTable> paper_beside(const std::vector<ReportedSetting>& settings) {
  // Lines without a memory are in several settings; use each once.
  std::vector<const ReportedLine*> lines;
  std::vector<std::vector<Printed>> printed;
  for (const ReportedSetting& setting : settings) {
    for (const ReportedLine& line : setting.lines) {
      const bool is_known = std::any_of(lines.begin(), lines.end(), [&](const ReportedLine* other) {
        return other->ids == line.ids;
      });
      if (is_known) continue;
      lines.push_back(&line);
      printed.push_back(printed_for(line.seeds.front()->spec));
    }
  }
  std::vector<PaperTable> tables;
  for (const Printed& number : printed_numbers()) {
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const bool is_it = std::any_of(printed[k].begin(), printed[k].end(), [&](const Printed& p) {
        return p.item == number.item && p.row == number.row && p.column == number.column;
      });
      if (!is_it) continue;
      const std::string title = title_of(number.item);
      if (tables.empty() || tables.back().title != title) {
        tables.push_back(
            {title,
             {"in the paper", "runs", "seeds", {"ours", "%"}, {"paper", "%"}, "ours - paper"},
             {}});
      }
      tables.back().table.rows.push_back(row_of(number, *lines[k]));
      tables.back().runs.push_back(lines[k]->ids);
    }
  }
  return tables;
}

}  // namespace gps
