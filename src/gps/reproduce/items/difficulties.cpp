#include "gps/reproduce/items/difficulties.h"

#include <fmt/format.h>

namespace gps {
namespace {

constexpr std::size_t kTasks = 5;

std::string column_of(std::size_t k) { return fmt::format("Task {}", k + 1); }

}  // namespace

DifficultyOptions difficulty_options(const Question& question, const std::string& source) {
  DifficultyOptions options;
  options.spec = spec_of(question, "sgd", "");
  options.source = source;
  options.task = 1;
  options.count = static_cast<int>(kTasks);
  if (source == "real") options.count = std::min(options.count, options.spec.benchmark.tasks);
  return options;
}

std::vector<Analysis<DifficultyOptions>> difficulty_analyses(const Question& question,
                                                             const std::string& source) {
  std::vector<Analysis<DifficultyOptions>> all;
  for (int seed = 0; seed < question.seeds; ++seed)
    all.push_back({difficulty_options(question, source), static_cast<std::uint64_t>(seed)});
  return all;
}

Difficulties difficulties(const Question& question, const Evidence& evidence,
                          const std::string& source) {
  Difficulties all{source,
                   std::vector<BySeed>(kTasks),
                   {"mean of " + source, {}},
                   {"variance of " + source, {}}};
  for (const auto& [seed, found] :
       evidence.find(difficulty_options(question, source), question.seeds)) {
    double sum = 0;
    for (std::size_t k = 0; k < found->tasks.size(); ++k) {
      const double accuracy = 100 * found->tasks[k].accuracy;
      all.tasks.at(k)[seed] = accuracy;
      sum += accuracy;
    }
    all.mean.values[seed] = sum / static_cast<double>(found->tasks.size());
    all.variance.values[seed] = variance_of_accuracy(*found);
  }
  return all;
}

Table difficulty_table(const std::string& first) {
  Table table = {first, "seeds"};
  for (std::size_t k = 0; k < kTasks; ++k) table.columns.emplace_back(column_of(k));
  table.columns.emplace_back("Variance");
  return table;
}

void add_rows(Section& section, const Difficulties& ours, const std::string& item,
              const std::string& row) {
  Row cells = {ours.source, Cell::count(ours.mean.values.size())};
  for (const BySeed& task : ours.tasks) cells.push_back(Cell::mean(task));
  cells.push_back(Cell::mean(ours.variance.values));
  section.table.rows.push_back(std::move(cells));
  nlohmann::json paper = nlohmann::json::array();
  if (find_printed(item, row, "Variance")) {
    Row printed = {"paper: " + row, Cell::missing()};
    for (std::size_t k = 0; k <= kTasks; ++k) {
      const double value = find_printed(item, row, k < kTasks ? column_of(k) : "Variance")->value;
      paper.push_back(value);
      printed.push_back(Cell::number(value, 2));
    }
    section.table.rows.push_back(std::move(printed));
  }
  section.data.push_back({{"source", ours.source},
                          {"accuracy", ours.tasks},
                          {"variance", ours.variance.values},
                          {"paper", paper}});
}

Judgement difficulty_levels(std::string claim, const Difficulties& ours, const std::string& item,
                            const std::string& row, const Question& question) {
  if (question.scale != Scale::full) {
    return not_tried(std::move(claim), fmt::format("levels cannot be compared at the {} scale",
                                                   name_of(question.scale)));
  }
  std::vector<NamedPrinted> rows;
  for (std::size_t k = 0; k < kTasks; ++k) {
    if (const auto printed = find_printed(item, row, column_of(k)))
      rows.push_back({{column_of(k), ours.tasks[k]}, printed->value, {}});
  }
  if (rows.empty()) return not_tried(std::move(claim), "the paper has no number for it");
  return judge_levels(std::move(claim), rows);
}

}  // namespace gps
