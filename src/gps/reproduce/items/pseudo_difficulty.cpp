#include "gps/reproduce/items/difficulties.h"

namespace gps {
namespace {

const std::vector<std::pair<std::string, std::string>>& futures() {  // with the paper's rows
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"permutation", "Permutation"}, {"rotation", "Rotation"}, {"blurring", "Blurring"}};
  return all;
}

Finding judge_pseudo_difficulty(const Question& question, const Evidence& evidence) {
  // The paper has numbers only for S-CIFAR-100.
  const std::string item = question.benchmark == "s-cifar-100" ? "pseudo-difficulty" : "";
  Section section{
      paper_name(question.benchmark) + ": accuracy of pseudo-tasks of task 1 learnt alone, percent",
      difficulty_table("pseudo-tasks"), nlohmann::json::array()};
  const Difficulties real = difficulties(question, evidence, "real");
  add_rows(section, real, "", "");
  std::map<std::string, Difficulties> all;
  Finding finding;
  for (const auto& [future, row] : futures()) {
    all[future] = difficulties(question, evidence, future);
    add_rows(section, all[future], item, row);
    if (!item.empty()) {
      finding.judgements.push_back(difficulty_levels("the accuracies of pseudo-tasks by " + future,
                                                     all[future], item, row, question));
    }
  }
  finding.sections.push_back(section);
  for (const char* future : {"permutation", "rotation"}) {
    finding.judgements.push_back(
        judge_close(std::string(future) + " makes tasks as difficult as the real ones",
                    all[future].mean, real.mean, 2));
  }
  const Difficulties& blurred = all["blurring"];
  finding.judgements.push_back(judge_above("blurring makes tasks of growing difficulty",
                                           {"pseudo-task 1", blurred.tasks[0]},
                                           {{"pseudo-task 5", blurred.tasks[4]}}));
  return finding;
}

}  // namespace

Item make_pseudo_difficulty() {
  return {"pseudo-difficulty",
          "The difficulty of pseudo-tasks",
          "Table 4, Appendix C.1",
          "The paper uses S-CIFAR-100. Pseudo-tasks are made from task 1, with all its examples, "
          "and learnt alone. `real` means the benchmark's own tasks (Table 3).",
          {"s-cifar-100"},
          {"p-mnist", "s-mnist"},
          {},
          judge_pseudo_difficulty,
          [](const Question& question) {
            Analyses all;
            all.difficulties = difficulty_analyses(question, "real");
            for (const auto& [future, row] : futures()) {
              const auto some = difficulty_analyses(question, future);
              all.difficulties.insert(all.difficulties.end(), some.begin(), some.end());
            }
            return all;
          }};
}

}  // namespace gps
