#include <fmt/format.h>

#include "gps/probes/ratio_distance.h"
#include "gps/reproduce/accuracy_table.h"

namespace gps {
namespace {

constexpr std::array kFutures = {"permutation", "rotation", "blurring"};

Spec gps_of(const Question& question, const std::string& future) {
  return spec_of(question, "er", "gps:" + future);
}

std::vector<Job> jobs(const Question& question) {
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

Finding judge(const Question& question, const Evidence& evidence) {
  const int tasks = gps_of(question, "offline").benchmark.tasks;
  const auto printed = find_printed("ratio-distance", paper_name(question.benchmark), "L1");
  Section section{
      fmt::format("L1 distance of the ratios to those of ER-Oracle, over {} tasks", tasks - 1),
      {{"future", "seeds", "ours", "paper"}},
      nlohmann::json::array()};
  std::vector<Named> rows;
  for (const char* future : kFutures) {
    rows.push_back({future, distances(question, evidence, future)});
    const bool has_paper = rows.size() == 1 && printed;
    section.table.push_back({future, fmt::format("{}", rows.back().values.size()),
                             mean_text(rows.back().values),
                             has_paper ? fmt::format("{:.1f}", printed->value) : "-"});
    section.data.push_back({{"future", future},
                            {"distance", rows.back().values},
                            {"paper", has_paper ? nlohmann::json(printed->value) : nullptr}});
  }
  // |x - y| of two ratios drawn at random from [0, 1] is 1/3 on average.
  const double by_chance = (tasks - 1) / 3.0;
  section.table.push_back(
      {"two ratios drawn at random", "-", fmt::format("{:.2f}", by_chance), "-"});
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
  const Named chance{"by chance", [&] {
                       BySeed same;
                       for (const auto& [seed, value] : rows[0].values) same[seed] = by_chance;
                       return same;
                     }()};
  finding.judgements.push_back(
      judge_above("the ratios that permutation finds are nearer to the oracle's than by chance",
                  chance, {rows[0]}));
  for (std::size_t k : {1u, 2u}) {
    finding.judgements.push_back(judge_above(
        fmt::format("permutation's ratios are nearer to the oracle's than {}'s", rows[k].name),
        rows[k], {rows[0]}));
  }
  return finding;
}

}  // namespace

Item make_ratio_distance() {
  return {"ratio-distance",
          "How far the ratios found by simulation are from the oracle's",
          "section 6.3",
          "The ratio of a task is s_j over |M|/j; the distance is summed over the tasks for which "
          "one is searched, all but the last. Both come from the runs of Table 1.",
          {"p-mnist", "s-cifar-10", "s-cifar-100", "tiny-imagenet"},
          {"p-mnist"},
          jobs,
          judge};
}

}  // namespace gps
