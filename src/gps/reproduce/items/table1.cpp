#include "gps/reproduce/accuracy_table.h"

namespace gps {
namespace {

bool is_natural(const Question& question) { return default_model(question.benchmark) != "mlp"; }

AccuracyTable table1_table(const Question& question) {
  AccuracyTable table;
  table.title = title_of(spec_of(question, "er", "reservoir"));
  table.reference = "reservoir";
  const Source source{"table1", paper_name(question.benchmark)};
  const auto add = [&](const std::string& policy, const std::string& row) {
    add_line(table, policy, spec_of(question, "er", policy), source, row);
  };
  if (is_natural(question) && question.scale != Scale::full) {  // see configs/reduced-natural.toml
    add("reservoir", "ER-Res");
    add("ring-full", "ER-Ring-Full");
    add("gps:permutation", "GPS, Permutation");
    for (const char* bound : {"sgd", "joint"}) add_line(table, bound, spec_of(question, bound, ""));
    return table;
  }
  for (const Table1Row& row : table1_rows()) add(row.policy, row.paper);
  return table;
}

Finding judge_table1(const Question& question, const Evidence& evidence) {
  const AccuracyTable table = table1_table(question);
  const auto row = [&](const std::string& label) {
    return row_of(table, label, question, evidence);
  };
  const auto rows = [&](const std::vector<std::string>& labels) {
    return rows_of(table, labels, question, evidence);
  };
  const bool is_short = is_natural(question) && question.scale != Scale::full;
  const std::string ring = is_short ? "ring-full" : "ring-full:floor";
  const std::vector<std::string> baselines = {"reservoir", ring, "hybrid"};
  const Named gps = row("gps:permutation");
  return {
      {section_of(table, question, evidence)},
      {
          levels_of("the levels of ER-Res, ER-Ring-Full and ER-Hybrid", table, baselines, question,
                    evidence),
          levels_of("the level of GPS", table, {"gps:permutation"}, question, evidence),
          levels_of("the levels of GPS by rotation and by blurring", table,
                    {"gps:rotation", "gps:blurring"}, question, evidence),
          levels_of("the level of ER-Oracle", table, {"gps:offline"}, question, evidence),
          judge_above("GPS is above ER-Res", gps, rows({"reservoir"})),
          judge_above("GPS is above ER-Ring-Full", gps, rows({ring})),
          judge_above("GPS is above ER-Hybrid", gps, rows({"hybrid"})),
          judge_above("GPS by permutation is above GPS by rotation", gps, rows({"gps:rotation"})),
          judge_above("GPS by permutation is above GPS by blurring", gps, rows({"gps:blurring"})),
          judge_close("GPS comes close to ER-Oracle", gps, row("gps:offline"), 1),
          judge_steadier("GPS varies less over seeds than the baselines", gps, rows(baselines)),
          judge_steadier("ER-Oracle varies less over seeds than the baselines", row("gps:offline"),
                         rows(baselines)),
          judge_steadier("GPS by rotation varies less over seeds than the baselines",
                         row("gps:rotation"), rows(baselines)),
          judge_steadier("GPS by blurring varies less over seeds than the baselines",
                         row("gps:blurring"), rows(baselines)),
          judge_steadier("GPS by permutation varies less over seeds than by rotation and by "
                         "blurring",
                         gps, rows({"gps:rotation", "gps:blurring"})),
      }};
}

}  // namespace

Item make_table1() {
  return {"table1",
          "Accuracy of GPS with different simulations, and of the baselines",
          "Table 1, section 6.2",
          "`ring-full:floor` rounds the quota of a class down, as printed; `ring-full` uses all "
          "slots. `mixed` is not in the paper: its ratios are the ends and the middle of the range "
          "that GPS searches.",
          {"p-mnist", "s-cifar-10", "s-cifar-100", "tiny-imagenet"},
          {"p-mnist"},
          [](const Question& question) { return jobs_of({table1_table(question)}, question); },
          judge_table1};
}

}  // namespace gps
