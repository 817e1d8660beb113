#include "gps/experiments/spec/presets.h"
#include "gps/reproduce/accuracy_table.h"

namespace gps {
namespace {

// In the paper, ties in the learned epoch are ranked by loss; the other reading ignores the loss.
AccuracyTable curriculum_table(const Question& question, bool is_small) {
  const int memory = default_memory(question.benchmark) / (is_small ? 10 : 1);
  AccuracyTable table;
  table.title = title_of(spec_of(question, "er", "reservoir", 0, memory));
  table.reference = "reservoir";
  const Source source{"curriculum",
                      paper_name(question.benchmark) + (is_small ? ", small memory" : "")};
  const auto add = [&](const std::string& policy, const std::string& rank,
                       const std::string& row = "") {
    Spec spec = spec_of(question, "er", policy, 0, memory);
    spec.policy.settings["easy_rank"] = rank;
    add_line(table, policy + (rank == "epoch" ? " by epoch" : ""), std::move(spec), source, row);
  };
  add("reservoir", "loss");
  add("gps:permutation", "loss");
  for (const char* rank : {"loss", "epoch"}) {
    add("cur-res", rank, "ER-CurRes");
    add("cur-ring-full", rank, "ER-CurRing-Full");
    add("gps:permutation/cur", rank, "GPS w/ Cur");
  }
  return table;
}

std::vector<AccuracyTable> curriculum_tables(const Question& question) {
  return {curriculum_table(question, false), curriculum_table(question, true)};
}

Finding judge_curriculum(const Question& question, const Evidence& evidence) {
  Finding finding;
  for (const AccuracyTable& table : curriculum_tables(question)) {
    const std::string small = finding.sections.empty() ? "" : ", small memory";
    finding.sections.push_back(section_of(table, question, evidence));
    for (const std::string ending : {"", " by epoch"}) {
      const std::string how = small + (ending.empty() ? "" : ", ranked by epoch alone");
      const auto row = [&](const std::string& label) {
        return row_of(table, label, question, evidence);
      };
      const Named gps = row("gps:permutation/cur" + ending);
      const std::vector<std::string> all = {"cur-res" + ending, "cur-ring-full" + ending,
                                            "gps:permutation/cur" + ending};
      std::vector<Judgement> some;
      some.push_back(levels_of("the levels of ER-CurRes, ER-CurRing-Full and GPS w/ Cur" + how,
                               table, all, question, evidence));
      some.push_back(judge_above("GPS w/ Cur is above ER-CurRes and ER-CurRing-Full" + how, gps,
                                 {row(all[0]), row(all[1])}));
      some.push_back(judge_no_gain("no significant gain of GPS w/ Cur over GPS" + how, gps,
                                   {row("gps:permutation")}));
      const Origin origin = ending.empty() ? Origin::paper : Origin::other_reading;
      for (Judgement& each : some) finding.judgements.push_back(as(origin, std::move(each)));
    }
  }
  return finding;
}

}  // namespace

Item make_curriculum() {
  return {"curriculum",
          "Base policies that take easy examples first",
          "Table 8, Appendix E",
          "`by epoch` is `--easy-rank epoch`: examples learnt in the same epoch are not ranked by "
          "their loss.",
          {"p-mnist", "s-cifar-10", "s-cifar-100", "tiny-imagenet"},
          {"p-mnist"},
          [](const Question& question) { return jobs_of(curriculum_tables(question), question); },
          judge_curriculum};
}

}  // namespace gps
