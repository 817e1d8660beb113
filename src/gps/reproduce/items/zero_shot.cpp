#include <fmt/format.h>

#include <limits>

#include "gps/reproduce/accuracy_table.h"

namespace gps {
namespace {

constexpr std::size_t kZeroShotTasks = 5;

// Returns two tasks, as in the paper. On P-MNIST it is one, because from task 2 on its images are
// already permuted, so nothing can transfer to a rotation of them.
int after_of(const Question& question) { return question.benchmark == "p-mnist" ? 1 : 2; }

ZeroShotOptions options_of(const Question& question) {
  ZeroShotOptions options;
  options.spec = spec_of(question, "er", "reservoir");
  options.after = after_of(question);
  options.count = static_cast<int>(kZeroShotTasks);
  return options;
}

const std::vector<std::pair<std::string, std::string>>& sources() {  // with the paper's rows
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"real", "Real"},
      {"permutation", "Permutation"},
      {"rotation", "Rotation"},
      {"blurring", "Blurring"}};
  return all;
}

std::string column_of(const Question& question, std::size_t k) {
  return fmt::format("Task {}", k + static_cast<std::size_t>(after_of(question)) + 1);
}

struct SourceRow {
  std::vector<BySeed> tasks = std::vector<BySeed>(kZeroShotTasks);
  BySeed mean;
};

SourceRow row_of(const Question& question, const Evidence& evidence, const std::string& source) {
  SourceRow row;
  for (const auto& [seed, found] : evidence.find(options_of(question), question.seeds)) {
    for (const ZeroShotRow& each : found->rows) {
      if (each.source != source || each.accuracy.empty()) continue;
      double sum = 0;
      for (std::size_t k = 0; k < each.accuracy.size(); ++k) {
        row.tasks.at(k)[seed] = 100 * each.accuracy[k];
        sum += 100 * each.accuracy[k];
      }
      row.mean[seed] = sum / static_cast<double>(each.accuracy.size());
    }
  }
  return row;
}

Finding judge_zero_shot(const Question& question, const Evidence& evidence) {
  const bool is_printed = question.benchmark == "s-cifar-100";
  Table table = {"tasks", "seeds"};
  for (std::size_t k = 0; k < kZeroShotTasks; ++k)
    table.columns.emplace_back(column_of(question, k));
  Section section{fmt::format("{}: accuracy after task{}, percent", paper_name(question.benchmark),
                              after_of(question) == 1 ? " 1" : "s 1 and 2"),
                  table, nlohmann::json::array()};
  std::map<std::string, SourceRow> rows;
  Finding finding;
  for (const auto& [source, printed_row] : sources()) {
    const SourceRow& row = rows[source] = row_of(question, evidence, source);
    Row cells = {source, Cell::count(row.mean.size())};
    for (const BySeed& task : row.tasks) cells.push_back(Cell::mean(task));
    section.table.rows.push_back(std::move(cells));
    section.data.push_back({{"source", source}, {"accuracy", row.tasks}});
    if (!is_printed) continue;
    Row printed = {"paper: " + printed_row, Cell::missing()};
    std::vector<NamedPrinted> levels;
    for (std::size_t k = 0; k < kZeroShotTasks; ++k) {
      const double value = find_printed("zero-shot", printed_row, column_of(question, k))->value;
      printed.push_back(Cell::number(value, 2));
      levels.push_back({{column_of(question, k), row.tasks[k]}, value, {}});
    }
    section.table.rows.push_back(std::move(printed));
    const std::string claim = "the accuracies on tasks by " + source;
    finding.judgements.push_back(
        question.scale == Scale::full
            ? judge_levels(claim, levels)
            : not_tried(claim, fmt::format("levels cannot be compared at the {} scale",
                                           name_of(question.scale))));
  }
  finding.sections.push_back(section);
  const double chance = 100.0 / classes_a_task(options_of(question).spec.benchmark);
  const auto mean = [&](const std::string& source) {
    return Named{fmt::format("{} (chance: {:g})", source, chance), rows[source].mean};
  };
  constexpr double kNear = 5;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char* source : {"real", "permutation"}) {
    finding.judgements.push_back(
        judge_between(fmt::format("no zero-shot transfer to tasks by {}", source), mean(source),
                      -infinity, chance + kNear));
  }
  finding.judgements.push_back(judge_between("nearly perfect zero-shot transfer to rotated tasks",
                                             mean("rotation"), chance + 0.5 * (100 - chance),
                                             infinity));
  const std::vector<BySeed>& blurred = rows["blurring"].tasks;
  finding.judgements.push_back(
      judge_above("zero-shot transfer to blurred tasks fades", {column_of(question, 0), blurred[0]},
                  {{column_of(question, kZeroShotTasks - 1), blurred[kZeroShotTasks - 1]}}));
  finding.judgements.push_back(
      judge_between("there is zero-shot transfer to the first blurred task",
                    {column_of(question, 0), blurred[0]}, chance + kNear, infinity));
  finding.judgements.push_back(
      judge_between("on the last blurred task the network guesses",
                    {column_of(question, kZeroShotTasks - 1), blurred[kZeroShotTasks - 1]},
                    -infinity, chance + kNear));
  return finding;
}

}  // namespace

Item make_zero_shot() {
  return {"zero-shot",
          "Zero-shot transfer to tasks and pseudo-tasks",
          "Table 5, Appendix C.2",
          "The paper uses S-CIFAR-100. The network of an ER-Res run is tested after two tasks "
          "(P-MNIST: one, because from task 2 on the images are already permuted) on the real "
          "later tasks and on pseudo-tasks of the last learnt task, each among its own labels. "
          "\"No transfer\" and \"guesses\" mean at most five points above chance. \"Nearly "
          "perfect\" means at least half-way from chance to 100.",
          {"s-cifar-100"},
          {"p-mnist", "s-mnist"},
          {},
          judge_zero_shot,
          [](const Question& question) {
            Analyses all;
            for (int seed = 0; seed < question.seeds; ++seed)
              all.zero_shots.push_back({options_of(question), static_cast<std::uint64_t>(seed)});
            return all;
          }};
}

}  // namespace gps
