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

// Returns how far a row is above the mean of others, seed by seed.
Named lead_over(const std::string& name, const Named& row, const std::vector<Named>& others) {
  Named lead{name, {}, row.collapsed};
  for (const Named& other : others) lead.collapsed += other.collapsed;
  for (const auto& [seed, value] : row.values) {
    std::vector<double> values;
    for (const Named& other : others) {
      if (other.values.contains(seed)) values.push_back(other.values.at(seed));
    }
    if (values.size() == others.size()) lead.values[seed] = value - summarise(values).mean;
  }
  return lead;
}

// Returns the gain of GPS over ER-Res.
Named gain(const std::string& name, const AccuracyTable& table, const Question& question,
           const Evidence& evidence) {
  return lead_over(name, row_of(table, "gps:permutation", question, evidence),
                   {row_of(table, "reservoir", question, evidence)});
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
                    lead_over("ER-Oracle - mean of the baselines",
                              row_of(tables[2], "gps:offline", question, evidence),
                              rows_of(tables[2], baselines, question, evidence)),
                    3, 7));
  finding.judgements.push_back(
      judge_above("the gain of GPS over ER-Res is larger at T = 40 than at T = 10",
                  gain("gain at T = 40", tables[2], question, evidence),
                  {gain("gain at T = 10", tables[0], question, evidence)}));
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
