#include "gps/reproduce/items/other_learners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace gps {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

const std::vector<std::string>& other_labels() {
  static const std::vector<std::string> labels = {"oewc mammoth", "icarl", "gss", "agem", "ogd"};
  return labels;
}

}  // namespace

AccuracyTable other_learners_table(const Question& question, const std::string& item,
                                   const std::vector<std::string>& variants) {
  AccuracyTable table;
  table.title = title_of(spec_of(question, "er", "reservoir"));
  table.reference = "der++";
  const Source source{item, paper_name(question.benchmark)};
  Spec oewc = spec_of(question, "oewc", "");
  oewc.learner.settings["fisher"] = "mammoth";
  add_line(table, "oewc mammoth", oewc, source, "oEWC");
  if (item == "table2b") add_line(table, "oewc", spec_of(question, "oewc", ""));
  const auto add = [&](const std::string& label, const std::string& learner,
                       const std::string& policy, const std::string& row) {
    add_line(table, label, spec_of(question, learner, policy), source, row);
  };
  add("icarl", "icarl", "", "iCaRL");
  add("gss", "gss", "", "GSS");
  add("agem", "agem", "", "A-GEM");
  if (!is_split(question.benchmark)) add("ogd", "ogd", "", "OGD");  // the paper has it only there
  for (const std::string& learner : variants) {
    add(learner, learner, "reservoir", upper(learner));
    add(learner + " gps", learner, "gps:permutation", fmt::format("GPS+{}", upper(learner)));
  }
  return table;
}

Finding judge_other_learners(const Question& question, const Evidence& evidence,
                             const std::string& item, const std::vector<std::string>& variants) {
  const AccuracyTable table = other_learners_table(question, item, variants);
  const auto row = [&](const std::string& label) {
    return row_of(table, label, question, evidence);
  };
  const auto level = [&](const std::string& label, const std::string& name) {
    return levels_of("the level of " + name, table, {label}, question, evidence);
  };
  Finding finding{{section_of(table, question, evidence)}, {}};
  std::vector<Judgement>& judgements = finding.judgements;
  std::vector<Named> others;
  for (const AccuracyLine& line : table.lines) {
    const bool is_other =
        std::find(other_labels().begin(), other_labels().end(), line.label) != other_labels().end();
    if (!is_other || !line.printed) continue;
    others.push_back(row(line.label));
    judgements.push_back(level(line.label, line.printed->row));
  }
  for (const std::string& learner : variants) {
    const std::string name = upper(learner);
    judgements.push_back(level(learner, name));
    judgements.push_back(level(learner + " gps", "GPS+" + name));
    judgements.push_back(judge_above(fmt::format("GPS+{0} is above {0}", name),
                                     row(learner + " gps"), {row(learner)}));
  }
  judgements.push_back(
      judge_above("GPS+DER++ is above the methods without ER", row("der++ gps"), others));
  return finding;
}

}  // namespace gps
