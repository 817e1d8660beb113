#include "gps/reproduce/accuracy_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gps/experiments/spec/presets.h"

namespace gps {
namespace {

Cell printed_cell(const std::optional<Printed>& printed) {
  return printed ? Cell::mean(Summary{printed->value, printed->deviation}) : Cell::missing();
}

nlohmann::json or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

// The rows' numbers. `reference` is empty if there is no difference to it.
nlohmann::json data_of(const AccuracyLine& line, const Named& row, const BySeed& reference) {
  const BySeed& values = row.values;
  nlohmann::json json = {
      {"label", line.label},       {"row", line.printed ? line.printed->row : ""},
      {"seeds", values.size()},    {"mean", nullptr},
      {"deviation", nullptr},      {"difference", nullptr},
      {"half_width", nullptr},     {"paper", nullptr},
      {"paper_deviation", nullptr}};
  if (!values.empty()) {
    const Summary summary = summarise(values_of(values));
    json["mean"] = summary.mean;
    json["deviation"] = or_null(summary.deviation);
  }
  if (const auto paired = difference(reference, values)) {
    json["difference"] = paired->mean;
    json["half_width"] = or_null(paired->half_width);
  }
  if (row.collapsed > 0) json["collapsed"] = row.collapsed;
  if (line.printed) {
    json["paper"] = line.printed->value;
    json["paper_deviation"] = or_null(line.printed->deviation);
  }
  return json;
}

const AccuracyLine* line_of(const AccuracyTable& table, const std::string& label) {
  const auto at = std::find_if(table.lines.begin(), table.lines.end(),
                               [&](const AccuracyLine& line) { return line.label == label; });
  return at == table.lines.end() ? nullptr : &*at;
}

}  // namespace

Spec spec_of(const Question& question, const std::string& learner, const std::string& policy,
             int tasks, int memory) {
  Spec spec = preset_spec("paper", question.benchmark, learner,
                          memory > 0 ? memory : default_memory(question.benchmark));
  if (tasks > 0) spec.benchmark.tasks = tasks;
  const std::string name = policy.empty() ? default_policy(learner) : policy;
  if (name == "none") {
    spec.policy.name = name;
  } else {
    set_policy(spec.policy, name);
  }
  return at_scale(std::move(spec), question.scale);
}

void add_line(AccuracyTable& table, const std::string& label, Spec spec, const Source& source,
              const std::string& row) {
  try {
    validate(spec);
  } catch (const UsageError&) {
    return;
  }
  table.lines.push_back(
      {label, std::move(spec),
       row.empty() ? std::nullopt : find_printed(source.item, row, source.column)});
}

const std::vector<Table1Row>& table1_rows() {
  static const std::vector<Table1Row> rows = {{"reservoir", "ER-Res"},
                                              {"ring-full:floor", "ER-Ring-Full"},
                                              {"ring-full"},
                                              {"hybrid", "ER-Hybrid"},
                                              {"mixed:0"},
                                              {"mixed:0.5"},
                                              {"mixed:1"},
                                              {"gps:permutation", "GPS, Permutation"},
                                              {"gps:rotation", "GPS, Rotation"},
                                              {"gps:blurring", "GPS, Blurring"},
                                              {"gps:offline", "ER-Oracle"}};
  return rows;
}

std::string title_of(const Spec& spec) {
  return fmt::format("{}, T = {}, |M| = {}", paper_name(spec.benchmark.name), spec.benchmark.tasks,
                     spec.memory);
}

std::vector<Job> jobs_of(const std::vector<AccuracyTable>& tables, const Question& question) {
  std::vector<Job> jobs;
  std::set<std::string> seen;
  for (const AccuracyTable& table : tables) {
    for (const AccuracyLine& line : table.lines) {
      if (!seen.insert(to_json(line.spec).dump()).second) continue;
      for (int seed = 0; seed < question.seeds; ++seed)
        jobs.push_back({line.spec, static_cast<std::uint64_t>(seed), ""});
    }
  }
  return jobs;
}

Section section_of(const AccuracyTable& table, const Question& question, const Evidence& evidence) {
  const AccuracyLine* first = line_of(table, table.reference);
  const Named reference = row_of(table, table.reference, question, evidence);
  const bool is_split = gps::is_split(question.benchmark);
  const bool is_full = question.scale == Scale::full;
  Table shown = {"the paper's", "ours", "seeds", {"accuracy", "%"}, "vs " + table.reference};
  if (is_split) {
    shown.columns.emplace_back("class-incremental", "%");
    shown.columns.emplace_back("forgetting");
  }
  shown.columns.emplace_back("paper", "%");
  if (is_full) shown.columns.emplace_back("ours - paper");
  Section section{table.title, shown, nlohmann::json::array()};
  for (const AccuracyLine& line : table.lines) {
    const Named ours = row_of(table, line.label, question, evidence);
    const BySeed& values = ours.values;
    const bool is_dead = ours.collapsed > 0;
    const bool is_compared = &line != first && !is_dead && reference.collapsed == 0;
    Row row = {line.printed ? line.printed->row : Cell::missing(),
               is_dead ? line.label + " !" : line.label, Cell::count(values.size()),
               Cell::mean(values),
               &line == first ? Cell::nothing()
               : is_compared  ? Cell::difference(difference(reference.values, values))
                              : Cell::missing()};
    if (is_split) {
      row.push_back(
          Cell::mean(evidence.values(line.spec, question.seeds, [](const RunResult& result) {
            return result.class_incremental
                       ? std::optional(100 * result.class_incremental->metrics.average_accuracy())
                       : std::nullopt;
          })));
      row.push_back(
          Cell::mean(evidence.values(line.spec, question.seeds, [](const RunResult& result) {
            const std::optional<double> forgetting = result.metrics["forgetting"];
            return forgetting ? std::optional(100 * *forgetting) : std::nullopt;
          })));
    }
    row.push_back(printed_cell(line.printed));
    if (is_full) {
      row.push_back(line.printed && !values.empty() && !is_dead
                        ? Cell::change(summarise(values_of(values)).mean - line.printed->value, 2)
                        : Cell::nothing());
    }
    section.table.rows.push_back(std::move(row));
    section.data.push_back(data_of(line, ours, is_compared ? reference.values : BySeed()));
  }
  return section;
}

Named row_of(const AccuracyTable& table, const std::string& label, const Question& question,
             const Evidence& evidence) {
  const AccuracyLine* line = line_of(table, label);
  if (line == nullptr) return {label, {}};
  return {label, evidence.accuracy(line->spec, question.seeds),
          evidence.collapsed(line->spec, question.seeds)};
}

std::vector<Named> rows_of(const AccuracyTable& table, const std::vector<std::string>& labels,
                           const Question& question, const Evidence& evidence) {
  std::vector<Named> rows;
  for (const std::string& label : labels) rows.push_back(row_of(table, label, question, evidence));
  return rows;
}

Judgement levels_of(std::string claim, const AccuracyTable& table,
                    const std::vector<std::string>& labels, const Question& question,
                    const Evidence& evidence) {
  if (question.scale != Scale::full) {
    return not_tried(std::move(claim), fmt::format("levels cannot be compared at the {} scale",
                                                   name_of(question.scale)));
  }
  std::vector<NamedPrinted> rows;
  for (const std::string& label : labels) {
    const AccuracyLine* line = line_of(table, label);
    if (line == nullptr || !line->printed) continue;
    rows.push_back(
        {row_of(table, label, question, evidence), line->printed->value, line->printed->deviation});
  }
  return judge_levels(std::move(claim), rows);
}

}  // namespace gps
