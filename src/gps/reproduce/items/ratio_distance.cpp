#include <fmt/format.h>

#include "gps/probes/ratio_distance.h"
#include "gps/reproduce/accuracy_table.h"

namespace gps {
namespace {

constexpr std::array kFutures = {"permutation", "rotation", "blurring"};

Spec gps_of(const Question& question, const std::string& future) {
  return spec_of(question, "er", "gps:" + future);
}

std::vector<Job> jobs_of_ratio_distance(const Question& question) {
  AccuracyTable table;
  for (const char* future : kFutures) add_line(table, future, gps_of(question, future));
  add_line(table, "offline", gps_of(question, "offline"));
  return jobs_of({table}, question);
}

BySeed distances(const Question& question, const Evidence& evidence, const std::string& future) {
  const Spec oracle = gps_of(question, "offline");
  BySeed all;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(question.seeds); ++seed) {
    const RunResult* real = evidence.find(oracle, seed);
    const RunResult* simulated = evidence.find(gps_of(question, future), seed);
    if (real != nullptr && simulated != nullptr)
      all[seed] = ratio_distance(*real, *simulated).distance;
  }
  return all;
}

// Returns the distance that is due to chance: between permutation's ratios at a seed and the
// oracle's at each other seed, averaged over these.
BySeed distances_to_others(const Question& question, const Evidence& evidence) {
  const auto seeds = static_cast<std::uint64_t>(question.seeds);
  BySeed all;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RunResult* simulated = evidence.find(gps_of(question, "permutation"), seed);
    std::vector<double> some;
    for (std::uint64_t other = 0; other < seeds; ++other) {
      const RunResult* real = evidence.find(gps_of(question, "offline"), other);
      if (simulated != nullptr && real != nullptr && other != seed)
        some.push_back(ratio_distance_across_seeds(*real, *simulated).distance);
    }
    if (!some.empty()) all[seed] = summarise(some).mean;
  }
  return all;
}

Finding judge_ratio_distance(const Question& question, const Evidence& evidence) {
  const int tasks = gps_of(question, "offline").benchmark.tasks;
  const auto printed = find_printed("ratio-distance", paper_name(question.benchmark), "L1");
  Section section{
      fmt::format("L1 distance of the ratios to those of ER-Oracle, over {} tasks", tasks - 1),
      {"future", "seeds", "ours", "paper"},
      nlohmann::json::array()};
  std::vector<Named> rows;
  for (const char* future : kFutures) {
    rows.push_back({future, distances(question, evidence, future)});
    const bool has_paper = rows.size() == 1 && printed;
    section.table.rows.push_back({future, Cell::count(rows.back().values.size()),
                                  Cell::mean(rows.back().values),
                                  has_paper ? Cell::number(printed->value, 1) : Cell::missing()});
    section.data.push_back({{"future", future},
                            {"distance", rows.back().values},
                            {"paper", has_paper ? nlohmann::json(printed->value) : nullptr}});
  }
  const Named chance{"permutation, to the oracle of other seeds",
                     distances_to_others(question, evidence)};
  section.table.rows.push_back(
      {chance.name, Cell::count(chance.values.size()), Cell::mean(chance.values), Cell::missing()});
  section.data.push_back(
      {{"future", chance.name}, {"distance", chance.values}, {"paper", nullptr}});
  Finding finding{{section}, {}};
  const std::string level =
      "the ratios that permutation finds are as near to the oracle's as printed";
  if (!printed) {
    finding.judgements.push_back(not_tried(level, "the paper has no number for this benchmark"));
  } else if (question.scale != Scale::full) {
    finding.judgements.push_back(not_tried(
        level, fmt::format("levels cannot be compared at the {} scale", name_of(question.scale))));
  } else {
    finding.judgements.push_back(judge_levels(level, {{rows[0], printed->value, {}}}, 0.5));
  }
  finding.judgements.push_back(as(
      Origin::ours,
      judge_above("the ratios that permutation finds are nearer to the oracle's of the same seed "
                  "than to those of others (ours)",
                  chance, {rows[0]})));
  for (std::size_t k : {1u, 2u}) {
    finding.judgements.push_back(as(
        Origin::ours,
        judge_above(fmt::format("permutation's ratios are nearer to the oracle's than {}'s (ours)",
                                rows[k].name),
                    rows[k], {rows[0]})));
  }
  return finding;
}

}  // namespace

Item make_ratio_distance() {
  return {"ratio-distance",
          "How far the ratios found by simulation are from the oracle's",
          "section 6.3",
          "The ratio of a task is s_j over |M|/j; the distance is summed over the tasks for which "
          "one is searched, all but the last. Both come from the runs of Table 1. The paper prints "
          "permutation's distance only.",
          {"p-mnist", "s-cifar-10", "s-cifar-100", "tiny-imagenet"},
          {"p-mnist"},
          jobs_of_ratio_distance,
          judge_ratio_distance};
}

}  // namespace gps
