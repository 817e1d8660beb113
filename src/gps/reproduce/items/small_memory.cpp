#include <limits>

#include "gps/experiments/spec/presets.h"
#include "gps/probes/ratio_distance.h"
#include "gps/reproduce/accuracy_table.h"

namespace gps {
namespace {

AccuracyTable small_memory_table(const Question& question, const std::string& loss) {
  const int memory = default_memory(question.benchmark) / 10;
  AccuracyTable table;
  table.title = title_of(spec_of(question, "er", "reservoir", 0, memory));
  if (loss == "concat") table.title += ", with the peers' loss (--er-loss concat)";
  table.reference = "reservoir";
  const Source source{"small-memory", paper_name(question.benchmark)};
  const auto add = [&](const std::string& policy, const std::string& row = "") {
    Spec spec = spec_of(question, "er", policy, 0, memory);
    spec.learner.settings["er_loss"] = loss;
    add_line(table, policy, std::move(spec), source, row);
  };
  add("reservoir", "ER-Res");
  add("ring-full:floor", "ER-Ring-Full");
  add("ring-full");
  add("hybrid", "ER-Hybrid");
  add("gps:permutation", "GPS");
  return table;
}

std::vector<AccuracyTable> small_memory_tables(const Question& question) {
  return {small_memory_table(question, "sum"), small_memory_table(question, "concat")};
}

// Returns the mean ratio s_j / (|M|/j) over the tasks for which a ratio was searched.
std::optional<double> mean_ratio(const RunResult& result) {
  double sum = 0;
  std::size_t searched = 0;
  for (const Decision& decision : result.decisions) {
    if (decision.trials.empty() || decision.quota == 0) continue;
    sum += ring_ratio(decision);
    ++searched;
  }
  return searched == 0 ? std::nullopt : std::optional(sum / static_cast<double>(searched));
}

Finding judge_small_memory(const Question& question, const Evidence& evidence) {
  Finding finding;
  for (const AccuracyTable& table : small_memory_tables(question)) {
    const bool is_first = finding.sections.empty();
    const std::string with = is_first ? "" : ", with the peers' loss";
    finding.sections.push_back(section_of(table, question, evidence));
    const auto row = [&](const std::string& label) {
      return row_of(table, label, question, evidence);
    };
    const std::vector<std::string> all = {"reservoir", "ring-full:floor", "hybrid",
                                          "gps:permutation"};
    const Origin origin = is_first ? Origin::paper : Origin::other_reading;
    finding.judgements.push_back(
        as(origin, levels_of("the levels of ER-Res, ER-Ring-Full, ER-Hybrid and GPS" + with, table,
                             all, question, evidence)));
    finding.judgements.push_back(
        as(origin, judge_no_gain("no significant gain of GPS over the baselines" + with,
                                 row("gps:permutation"),
                                 {row("reservoir"), row("ring-full:floor"), row("hybrid")})));
    const Spec gps = table.lines.back().spec;
    finding.judgements.push_back(
        as(origin, judge_between("the ratios that GPS finds are close to 1 (ER-Ring-Full)" + with,
                                 {"mean ratio", evidence.values(gps, question.seeds, mean_ratio),
                                  evidence.collapsed(gps, question.seeds)},
                                 0.75, std::numeric_limits<double>::infinity())));
  }
  return finding;
}

}  // namespace

Item make_small_memory() {
  return {"small-memory",
          "A tenth of the memory",
          "Table 6, Appendix D.1",
          "The second table uses the peers' loss: the mean over all rows of a step together.",
          {"p-mnist", "s-cifar-10", "s-cifar-100", "tiny-imagenet"},
          {"p-mnist"},
          [](const Question& question) { return jobs_of(small_memory_tables(question), question); },
          judge_small_memory};
}

}  // namespace gps
