// Probes of the tasks themselves: difficulty, zero-shot.
#include <algorithm>
#include <cmath>

#include "gps/probes/difficulty.h"
#include "gps/probes/zero_shot.h"
#include "probe/probe_kinds.h"

namespace gps::cli {

ProbeFindings probe_difficulty(ProbeOptions& options, const MakeBench& bench) {
  const std::vector<std::string> sources = options.futures({"real"});
  const Spec spec = options.specs().front();
  std::vector<DifficultyOptions> all;
  std::vector<std::string> labels;
  for (const std::string& source : sources) {
    for (const int task : options.tasks(1)) {
      all.push_back({spec, source, task, options.own.count});
      validate(all.back());
      labels.push_back(fmt::format("{} from task {}", source, task));
    }
  }
  const auto results = bench().analyses(all, labels);
  ProbeFindings findings;
  findings.table = {
      {"tasks", "from", "task"}, {kTestAccuracy, kTestLoss, {{"training accuracy", "%"}, 2}}, {}};
  for (std::size_t c = 0; c < results.size(); ++c) {
    if (results[c].empty()) continue;
    for (std::size_t k = 0; k < results[c].front().tasks.size(); ++k) {
      const auto values = [&](double LearntAlone::*member) {
        return over(results[c], [&](const Difficulty& each) -> std::optional<double> {
          return each.tasks[k].*member;
        });
      };
      findings.table.rows.push_back(
          {{all[c].source, Cell::count(all[c].task), Cell::count(results[c].front().tasks[k].task)},
           {values(&LearntAlone::accuracy), values(&LearntAlone::loss),
            values(&LearntAlone::train_accuracy)}});
    }
    const auto variances = over(results[c], [](const Difficulty& each) -> std::optional<double> {
      return variance_of_accuracy(each);
    });
    findings.notes.push_back(
        fmt::format("{:<24} variance of accuracy over tasks {:.2f} (percent², "
                    "mean over seeds)",
                    labels[c], mean_of(variances)));
  }
  return findings;
}

ProbeFindings probe_zero_shot(ProbeOptions& options, const MakeBench& bench) {
  const std::vector<Spec> specs = options.specs();
  if (specs.size() > 1) throw UsageError("gpscl probe zero-shot takes one --learner and --policy");
  const ZeroShotOptions of{specs.front(), options.own.after, options.own.count};
  validate(of);
  const auto results = bench().analyses(std::vector{of}, {fmt::format("after task {}", of.after)});
  ProbeFindings findings;
  findings.table = {{"tasks", "task"}, {kTestAccuracy}, {}};
  if (results.front().empty()) return findings;
  const std::vector<ZeroShotRow>& rows = results.front().front().rows;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t k = 0; k < rows[r].accuracy.size(); ++k) {
      findings.table.rows.push_back(
          {{rows[r].source, Cell::count(of.after + static_cast<int>(k) + 1)},
           {over(results.front(), [&](const ZeroShot& each) -> std::optional<double> {
             return each.rows[r].accuracy[k];
           })}});
    }
  }
  findings.notes.push_back(
      fmt::format("chance: {:.2f} %", 100.0 / classes_a_task(of.spec.benchmark)));
  return findings;
}

}  // namespace gps::cli
