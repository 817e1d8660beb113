#include "gps/reproduce/accuracy_table.h"

namespace gps {
namespace {

AccuracyTable peers_loss_table(const Question& question) {
  AccuracyTable table;
  table.title = title_of(spec_of(question, "er", "reservoir")) + ", --er-loss concat";
  table.reference = "reservoir";
  const Source source{"table1", paper_name(question.benchmark)};
  for (const Table1Row& row : table1_rows()) {
    if (row.policy == "ring-full" || row.policy == "gps:offline") continue;
    Spec spec = spec_of(question, "er", row.policy);
    spec.learner.settings["er_loss"] = "concat";
    add_line(table, row.policy, std::move(spec), source, row.paper);
  }
  return table;
}

Finding judge_peers_loss(const Question& question, const Evidence& evidence) {
  const AccuracyTable table = peers_loss_table(question);
  const auto rows = [&](const std::vector<std::string>& labels) {
    return rows_of(table, labels, question, evidence);
  };
  const std::vector<std::string> baselines = {"reservoir", "ring-full:floor", "hybrid"};
  const Named gps = row_of(table, "gps:permutation", question, evidence);
  Finding finding{
      {section_of(table, question, evidence)},
      {levels_of("the levels of ER-Res, ER-Ring-Full and ER-Hybrid, with the peers' loss", table,
                 baselines, question, evidence),
       levels_of("the level of GPS, with the peers' loss", table, {"gps:permutation"}, question,
                 evidence),
       judge_above("GPS is above ER-Res, with the peers' loss", gps, rows({"reservoir"})),
       judge_above("GPS is above ER-Hybrid, with the peers' loss", gps, rows({"hybrid"})),
       judge_above("GPS by permutation is above GPS by rotation and by blurring, with the "
                   "peers' loss",
                   gps, rows({"gps:rotation", "gps:blurring"})),
       judge_above("GPS is above the fixed mixes, with the peers' loss (ours)", gps,
                   rows({"mixed:0", "mixed:0.5", "mixed:1"}))}};
  for (Judgement& each : finding.judgements) each.origin = Origin::other_reading;
  finding.judgements.back().origin = Origin::ours;
  return finding;
}

}  // namespace

Item make_peers_loss() {
  return {
      "peers-loss",
      "Table 1 with the loss that peers use",
      "not in the paper",
      "Eqn. 2 adds the mean over the current rows and the mean over the memory rows. Peers take "
      "the mean over all rows together, which is half the step. The paper does not say which "
      "of the two its runs were made with.",
      {"p-mnist"},
      {"p-mnist"},
      [](const Question& question) { return jobs_of({peers_loss_table(question)}, question); },
      judge_peers_loss};
}

}  // namespace gps
