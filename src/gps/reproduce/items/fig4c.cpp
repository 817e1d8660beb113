#include <fmt/format.h>

#include "gps/reproduce/accuracy_table.h"

namespace gps {
namespace {

constexpr std::array kLengths = {10, 20, 40};

AccuracyTable fig4c_table(const Question& question, int tasks) {
  AccuracyTable table;
  table.title = title_of(spec_of(question, "er", "reservoir", tasks));
  table.reference = "reservoir";
  const bool is_short = tasks == 10;  // this length is in Table 1
  const Source source =
      is_short ? Source{"table1", "P-MNIST"} : Source{"fig4c", fmt::format("T = {}", tasks)};
  const auto add = [&](const std::string& policy, const std::string& row = "") {
    add_line(table, policy, spec_of(question, "er", policy, tasks),
             question.benchmark == "p-mnist" ? source : Source(), row);
  };
  add("reservoir", "ER-Res");
  add("ring-full:floor", "ER-Ring-Full");
  add("ring-full");
  add("hybrid", "ER-Hybrid");
  add("mixed:0");
  add("mixed:1");
  add("gps:permutation", is_short ? "GPS, Permutation" : "GPS");
  // The oracle takes four times as long at T = 20 as at T = 10, and sixteen times at T = 40.
  const bool is_too_long = !is_short && question.scale == Scale::reduced;
  if (!is_too_long) add("gps:offline", "ER-Oracle");
  return table;
}

std::vector<AccuracyTable> fig4c_tables(const Question& question) {
  std::vector<AccuracyTable> tables;
  for (const int tasks : kLengths) tables.push_back(fig4c_table(question, tasks));
  return tables;
}

// Returns the gain of GPS over ER-Res, seed by seed.
BySeed gain(const AccuracyTable& table, const Question& question, const Evidence& evidence) {
  const BySeed before = row_of(table, "reservoir", question, evidence).values;
  BySeed gains;
  for (const auto& [seed, value] : row_of(table, "gps:permutation", question, evidence).values) {
    const auto at = before.find(seed);
    if (at != before.end()) gains[seed] = value - at->second;
  }
  return gains;
}

// Returns how far ER-Oracle is above the mean of the baselines, seed by seed.
BySeed lead_of_oracle(const AccuracyTable& table, const std::vector<std::string>& baselines,
                      const Question& question, const Evidence& evidence) {
  BySeed leads;
  for (const auto& [seed, value] : row_of(table, "gps:offline", question, evidence).values) {
    std::vector<double> others;
    for (const Named& row : rows_of(table, baselines, question, evidence)) {
      if (row.values.contains(seed)) others.push_back(row.values.at(seed));
    }
    if (others.size() == baselines.size()) leads[seed] = value - summarise(others).mean;
  }
  return leads;
}

Finding judge_fig4c(const Question& question, const Evidence& evidence) {
  const std::vector<AccuracyTable> tables = fig4c_tables(question);
  const std::vector<std::string> baselines = {"reservoir", "ring-full:floor", "hybrid"};
  Finding finding;
  for (const AccuracyTable& table : tables)
    finding.sections.push_back(section_of(table, question, evidence));
  for (std::size_t k = 1; k < tables.size(); ++k) {
    const AccuracyTable& table = tables[k];
    const std::string at = fmt::format(" at T = {}", kLengths.at(k));
    const auto row = [&](const std::string& label) {
      return row_of(table, label, question, evidence);
    };
    const Named gps = row("gps:permutation");
    const Named oracle = row("gps:offline");
    std::vector<Judgement> some = {
        levels_of("the levels of ER-Res, ER-Ring-Full and ER-Hybrid" + at, table, baselines,
                  question, evidence),
        levels_of("the level of GPS" + at, table, {"gps:permutation"}, question, evidence),
        levels_of("the level of ER-Oracle" + at, table, {"gps:offline"}, question, evidence),
        judge_above("GPS is above ER-Res" + at, gps, {row("reservoir")}),
        judge_above("GPS is above ER-Ring-Full" + at, gps, {row("ring-full:floor")}),
        judge_above("GPS is above ER-Hybrid" + at, gps, {row("hybrid")}),
        judge_close("GPS comes close to ER-Oracle" + at, gps, oracle, 1),
        judge_above("ER-Oracle is above the three baselines" + at, oracle,
                    rows_of(table, baselines, question, evidence)),
        judge_steadier("GPS varies less over seeds than the baselines" + at, gps,
                       rows_of(table, baselines, question, evidence))};
    finding.judgements.insert(finding.judgements.end(), some.begin(), some.end());
  }
  finding.judgements.push_back(
      judge_between("ER-Oracle is about 5 points above the three baselines at T = 40",
                    {"ER-Oracle - mean of the baselines",
                     lead_of_oracle(tables[2], baselines, question, evidence)},
                    3, 7));
  finding.judgements.push_back(
      judge_above("the gain of GPS over ER-Res is larger at T = 40 than at T = 10",
                  {"gain at T = 40", gain(tables[2], question, evidence)},
                  {{"gain at T = 10", gain(tables[0], question, evidence)}}));
  return finding;
}

}  // namespace

Item make_fig4c() {
  return {"fig4c",
          "Long task sequences",
          "Figure 4 (c), section 6.4",
          "T = 10 is Table 1's. At the reduced scale ER-Oracle stops at T = 10, and at the smoke "
          "scale T is 3, 4 and 5.",
          {"p-mnist"},
          {"p-mnist"},
          [](const Question& question) { return jobs_of(fig4c_tables(question), question); },
          judge_fig4c};
}

}  // namespace gps
