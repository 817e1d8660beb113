#include <fmt/format.h>

#include <cmath>

#include "gps/probes/forgetting_curve.h"
#include "gps/reproduce/items/ring_sizes.h"

namespace gps {
namespace {

// Returns the test loss after 0, 1, … later tasks, with a memory that is half ring, half random.
std::vector<double> path_of(const RingSizeCurve& curve, Scale scale) {
  const std::vector<double> ratios = ring_ratios(scale);
  std::size_t half = 0;
  while (ratios[half] != 0.5) ++half;
  return forgetting_curve(curve.points.at(half), Measure::test_loss);
}

// Returns the pattern of a path, independent of its level and size: it starts at 0 and is in units
// of the largest change, which is the whole rise if the path only rises.
std::vector<double> pattern_of(std::vector<double> path) {
  const double start = path.front();
  double largest = 0;
  for (double& value : path) {
    value -= start;
    largest = std::max(largest, std::abs(value));
  }
  if (largest > 0) {
    for (double& value : path) value /= largest;
  }
  return path;
}

// Returns the mean distance between the patterns of two paths, over their steps.
double distance(const std::vector<double>& path, const std::vector<double>& other) {
  const std::vector<double> a = pattern_of(path);
  const std::vector<double> b = pattern_of(other);
  double sum = 0;
  const std::size_t steps = std::min(a.size(), b.size());
  for (std::size_t k = 0; k < steps; ++k) sum += std::abs(a[k] - b[k]);
  return sum / static_cast<double>(steps);
}

Finding judge_fig4b(const Question& question, const Evidence& evidence) {
  const int task = analysed_task(question);
  const int left = spec_of(question, "er", "reservoir").benchmark.tasks - task;
  Table table = {"future", "seeds"};
  for (int k = 0; k <= left; ++k) table.columns.emplace_back(fmt::format("+{}", k));
  Section section{fmt::format("{}: test loss of task {} after each number of later tasks",
                              title_of(spec_of(question, "er", "reservoir")), task),
                  table, nlohmann::json::array()};
  const RingSizeOptions real = ring_size_options(question, task, "offline");
  const auto reals = evidence.find(real, question.seeds);
  std::map<std::string, Named> ends;
  std::map<std::string, Named> distances;
  BySeed early;  // rises under blurring in the first and the second half
  BySeed late;
  for (const std::string& future : figure_4_futures()) {
    std::vector<BySeed> steps(static_cast<std::size_t>(left) + 1);
    ends[future].name = "loss by " + future;
    distances[future].name = "distance of " + future;
    for (const auto& [seed, curve] :
         evidence.find(ring_size_options(question, task, future), question.seeds)) {
      const std::vector<double> path = path_of(*curve, question.scale);
      for (std::size_t k = 0; k < std::min(path.size(), steps.size()); ++k)
        steps[k][seed] = path[k];
      ends[future].values[seed] = path.back();
      if (reals.contains(seed)) {
        distances[future].values[seed] = distance(path, path_of(*reals.at(seed), question.scale));
      }
      if (future == "blurring") {
        const double middle = path[path.size() / 2];
        early[seed] = middle - path.front();
        late[seed] = path.back() - middle;
      }
    }
    Row row = {future, Cell::count(ends[future].values.size())};
    for (const BySeed& step : steps) row.push_back(Cell::mean(step));
    section.table.rows.push_back(std::move(row));
    section.data.push_back({{"future", future}, {"test_loss", steps}});
  }
  return {
      {section},
      {judge_above("rotation induces less forgetting than the real tasks", ends["offline"],
                   {ends["rotation"]}),
       judge_above("permutation induces more forgetting than the real tasks", ends["permutation"],
                   {ends["offline"]}),
       judge_above("permutation's pattern of forgetting is more like the real one than rotation's",
                   distances["rotation"], {distances["permutation"]}),
       judge_above("permutation's pattern of forgetting is more like the real one than blurring's",
                   distances["blurring"], {distances["permutation"]}),
       judge_above("under blurring the loss rises slowly first, then steeply",
                   {"rise in the second half", late}, {{"rise in the first half", early}})}};
}

}  // namespace

Item make_fig4b() {
  return {"fig4b",
          "The loss of a task after each of the tasks to come",
          "Figure 4 (b), section 6.3",
          "The paper shows task 3 of S-CIFAR-100, as curves without numbers. On P-MNIST we use "
          "task 1. The numbers come from the analyses of Figure 4 (a), at a ratio of 0.5. How much "
          "two patterns are alike is measured by the mean distance of the curves, each shifted to "
          "start at 0 and divided by its largest change.",
          {"s-cifar-100"},
          {"p-mnist"},
          {},
          judge_fig4b,
          [](const Question& question) { return make_fig4a().analyses(question); }};
}

}  // namespace gps
