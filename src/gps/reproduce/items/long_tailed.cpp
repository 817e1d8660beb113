#include "gps/reproduce/accuracy_table.h"

namespace gps {
namespace {

AccuracyTable long_tailed_table(const Question& question) {
  AccuracyTable table;
  table.title = title_of(spec_of(question, "er", "reservoir")) +
                ", the commonest class of a task 100 times as common as the rarest";
  table.reference = "reservoir";
  for (const char* policy :
       {"reservoir", "ring-full", "mixed:0", "mixed:0.25", "mixed:0.5", "mixed:0.75", "mixed:1",
        "gps:permutation", "gps:permutation/balanced"}) {
    Spec spec = spec_of(question, "er", policy);
    spec.benchmark.imbalance = 100;
    if (question.scale == Scale::full) spec.benchmark.examples_per_task = 20000;
    add_line(table, policy, std::move(spec));
  }
  return table;
}

Finding judge_long_tailed(const Question& question, const Evidence& evidence) {
  const AccuracyTable table = long_tailed_table(question);
  const auto row = [&](const std::string& label) {
    return row_of(table, label, question, evidence);
  };
  const Named balanced = row("gps:permutation/balanced");
  Finding finding{{section_of(table, question, evidence)},
                  {judge_above("balance over classes is worth more than five points (ours)",
                               row("mixed:1"), {row("reservoir")}, 5),
                   judge_above("GPS is above ER-Res where classes are rare (ours)",
                               row("gps:permutation"), {row("reservoir")}),
                   judge_above("GPS scored class by class is above GPS scored by example (ours)",
                               balanced, {row("gps:permutation")}),
                   judge_above("GPS scored class by class is above the fully balanced mix (ours)",
                               balanced, {row("mixed:1")})}};
  for (Judgement& each : finding.judgements) each.origin = Origin::ours;
  return finding;
}

}  // namespace

Item make_long_tailed() {
  return {"long-tailed",
          "Long-tailed tasks, where memory construction matters",
          "not in the paper",
          "The commonest class of each task has 100 times as many training examples as the rarest. "
          "Each task has its own order of the classes. Test sets stay balanced.",
          {"p-mnist"},
          {"p-mnist"},
          [](const Question& question) { return jobs_of({long_tailed_table(question)}, question); },
          judge_long_tailed};
}

}  // namespace gps
