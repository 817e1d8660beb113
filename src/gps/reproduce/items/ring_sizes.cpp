#include "gps/reproduce/items/ring_sizes.h"

#include <algorithm>

namespace gps {

std::vector<double> ring_ratios(Scale scale) {
  if (scale == Scale::smoke) return {0, 0.5, 1};
  return {0, 0.1, 0.3, 0.5, 0.7, 0.9, 1};
}

int analysed_task(const Question& question) {
  // From task 2 on, the images of P-MNIST are already permuted. A rotation of them is as foreign to
  // the network as another permutation.
  const int task = question.benchmark == "p-mnist" ? 1 : 3;
  return std::min(task, spec_of(question, "er", "mixed:0.5").benchmark.tasks - 1);
}

RingSizeOptions ring_size_options(const Question& question, int task, const std::string& future) {
  RingSizeOptions options;
  options.spec = spec_of(question, "er", "mixed:0.5");
  options.task = task;
  options.future = future;
  options.ratios = ring_ratios(question.scale);
  options.score_examples = std::get<int>(setting_of(options.spec.policy, "score_examples"));
  return options;
}

std::vector<Analysis<RingSizeOptions>> ring_size_analyses(const Question& question, int task,
                                                          const std::string& future) {
  std::vector<Analysis<RingSizeOptions>> all;
  for (int seed = 0; seed < question.seeds; ++seed)
    all.push_back({ring_size_options(question, task, future), static_cast<std::uint64_t>(seed)});
  return all;
}

const std::vector<std::string>& figure_4_futures() {
  static const std::vector<std::string> futures = {"offline", "permutation", "rotation",
                                                   "blurring"};
  return futures;
}

double lowest_ratio(const RingSizeCurve& curve, const std::vector<double>& ratios) {
  const std::vector<double> losses = values_of(curve, Measure::test_loss);
  const auto lowest = std::min_element(losses.begin(), losses.end());
  return ratios[static_cast<std::size_t>(lowest - losses.begin())];
}

BySeed by_seed(const Question& question, const Evidence& evidence, int task,
               const std::string& future, const std::function<double(const RingSizeCurve&)>& f) {
  BySeed values;
  const RingSizeOptions options = ring_size_options(question, task, future);
  for (const auto& [seed, curve] : evidence.find(options, question.seeds)) values[seed] = f(*curve);
  return values;
}

}  // namespace gps
