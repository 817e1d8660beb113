#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "gps/reproduce/items/ring_sizes.h"

namespace gps {
namespace {

// Returns |switching ratio of this future - that of the real one|, seed by seed.
BySeed distances(const BySeed& real, const BySeed& simulated) {
  BySeed all;
  for (const auto& [seed, ratio] : simulated) {
    if (real.contains(seed)) all[seed] = std::abs(ratio - real.at(seed));
  }
  return all;
}

Finding judge_fig4a(const Question& question, const Evidence& evidence) {
  const int task = analysed_task(question);
  const std::vector<double> ratios = ring_ratios(question.scale);
  Table table = {"future", "seeds"};
  for (const double ratio : ratios) table.columns.emplace_back(fmt::format("{:g}", ratio));
  table.columns.emplace_back("switching ratio");
  Section section{fmt::format("{}: final test loss of task {}, over the ratio of the ring part",
                              title_of(spec_of(question, "er", "reservoir")), task),
                  table, nlohmann::json::array()};
  std::map<std::string, BySeed> points;  // switching ratios
  std::map<std::string, BySeed> losses;  // at half ring, half random
  for (const std::string& future : figure_4_futures()) {
    const auto at = [&](std::size_t k) {
      return by_seed(question, evidence, task, future, [k](const RingSizeCurve& curve) {
        return values_of(curve, Measure::test_loss).at(k);
      });
    };
    points[future] = by_seed(question, evidence, task, future, [&](const RingSizeCurve& curve) {
      return lowest_ratio(curve, ratios);
    });
    Row row = {future, Cell::count(points[future].size())};
    nlohmann::json curve = nlohmann::json::array();
    for (std::size_t k = 0; k < ratios.size(); ++k) {
      row.push_back(Cell::mean(at(k)));
      curve.push_back(at(k));
      if (ratios[k] == 0.5) losses[future] = at(k);
    }
    row.push_back(Cell::mean(points[future]));
    section.table.rows.push_back(std::move(row));
    section.data.push_back({{"future", future},
                            {"ratios", ratios},
                            {"test_loss", curve},
                            {"switching_ratio", points[future]}});
  }
  const auto distance = [&](const std::string& future) {
    return Named{"distance of " + future, distances(points["offline"], points[future])};
  };
  const auto loss = [&](const std::string& future) {
    return Named{"loss by " + future, losses[future]};
  };
  return {{section},
          {judge_above("permutation's switching point is nearer to the real one than rotation's",
                       distance("rotation"), {distance("permutation")}),
           judge_above("permutation's switching point is nearer to the real one than blurring's",
                       distance("blurring"), {distance("permutation")}),
           judge_between("rotation's switching point is close to 0",
                         {"switching ratio", points["rotation"]},
                         -std::numeric_limits<double>::infinity(), 0.2),
           judge_above("permutation gives higher losses than the real tasks", loss("permutation"),
                       {loss("offline")}),
           judge_above("rotation gives lower losses than the real tasks", loss("offline"),
                       {loss("rotation")})}};
}

}  // namespace

Item make_fig4a() {
  return {"fig4a",
          "The loss of a task over the share of the ring part, for each future",
          "Figure 4 (a), section 6.3",
          "The paper shows task 3 of S-CIFAR-100, as curves without numbers. On P-MNIST we use "
          "task 1, because from task 2 on the images are already permuted and nothing can transfer "
          "to a rotation of them. As in the paper, futures have all examples and epochs; `offline` "
          "is the real future. Losses are compared at a ratio of 0.5. The switching ratio is the "
          "mean over seeds of the ratio with the lowest loss.",
          {"s-cifar-100"},
          {"p-mnist"},
          {},
          judge_fig4a,
          [](const Question& question) {
            Analyses all;
            for (const std::string& future : figure_4_futures()) {
              const auto some = ring_size_analyses(question, analysed_task(question), future);
              all.ring_sizes.insert(all.ring_sizes.end(), some.begin(), some.end());
            }
            return all;
          }};
}

}  // namespace gps
