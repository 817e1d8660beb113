// A report over made-up results.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "gps/probes/recorded.h"
#include "gps/report/report.h"

namespace gps::testing {

// Two tasks of two classes: the first learnt to 0.9 and down to `first`, the second `second`.
inline RunResult tiny_result(const std::string& policy, std::uint64_t seed, double first,
                             double second) {
  RunResult result;
  set_policy(result.spec.policy, policy);
  result.spec.benchmark.tasks = 2;
  result.spec.memory = 8;
  result.seed = seed;
  result.accuracy = {{0.9, 0.1}, {first, second}};
  result.metrics = compute_metrics(result.accuracy, {0.1, 0.1});
  result.memory = {{{1, {3, 1}, {2, 2}}}, {{1, {2, 0}, {1, 1}}, {2, {0, 2}, {0, 2}}}};
  result.seconds = {1, 2, 3};
  if (policy == "gps") {
    result.decisions = {{1, {4}, 8, {{{4}, {0.5, 0.75}}, {{2}, {0.6, 0.7}}}}, {2, {2}, 4, {}}};
  }
  return result;
}

inline Recipe tiny_recipe(double learning_rate) {
  Recipe recipe;
  recipe.learning_rate = learning_rate;
  recipe.steps = 100;
  return recipe;
}

// The same with a plan: four candidates, the second best of which was chosen, and the last of which
// was stopped early.
inline RunResult tiny_planned_result(std::uint64_t seed, double first, double second) {
  RunResult result = tiny_result("reservoir", seed, first, second);
  result.spec.planning.knobs = "all";
  RecipeChoice choice;
  choice.recipe = tiny_recipe(0.03);
  choice.trials = {{tiny_recipe(0.1), 0.74, true, 500},
                   {tiny_recipe(0.03), 0.73, true, 500},
                   {tiny_recipe(0.01), 0.5, true, 134},
                   {tiny_recipe(1), 0.8, false, 100}};
  choice.expected = Expected{0.725, 0.6, 0.8};
  choice.work = 1234;
  result.plan.choices = {choice};
  return result;
}

inline ReportedRun reported(std::int64_t id, const RunResult& result) {
  ReportedRun run;
  run.run.id = id;
  run.run.spec = to_json(result.spec).dump();
  run.run.seed = result.seed;
  run.run.status = RunStatus::done;
  run.run.benchmark = result.spec.benchmark.name;
  const RunNames names = run_names(result.spec);
  run.run.learner = names.learner;
  run.run.policy = names.policy;
  run.run.label = names.label;
  run.run.accuracy = result.metrics.average_accuracy();
  run.result = result;
  run.command = "gpscl run p-mnist";
  return run;
}

// Two policies over two seeds each; latest first, as the store has them.
inline Report tiny_report() {
  Report report{"results/runs.sqlite", "2026-01-02 03:04", {}, 0};
  report.runs = {reported(4, tiny_result("gps", 1, 0.62, 0.84)),
                 reported(3, tiny_result("reservoir", 1, 0.5, 0.8)),
                 reported(2, tiny_result("gps", 0, 0.6, 0.8)),
                 reported(1, tiny_result("reservoir", 0, 0.4, 0.8))};
  return report;
}

// What the store has of an analysis.
template <typename Options>
ReportedAnalysis recorded(const Options& options, std::uint64_t seed,
                          const typename Options::Result& result) {
  StoredAnalysis stored;
  stored.kind = Options::kKind;
  stored.options = to_json(options).dump();
  stored.seed = seed;
  stored.result = to_json(result).dump();
  return gps::reported(stored);
}

// Task 1 of three tasks, |M| = 20: loss and accuracy at each ring size after 0, 1 and 2 more tasks.
inline RingSizeOptions tiny_ring_size(const std::string& future, std::vector<double> ratios) {
  RingSizeOptions options;
  set_policy(options.spec.policy, "mixed:0.5");
  options.spec.benchmark.tasks = 3;
  options.spec.memory = 20;
  options.future = future;
  options.ratios = std::move(ratios);
  return options;
}

inline RingSizeCurve tiny_curve(const RingSizeOptions& options, const std::vector<double>& losses) {
  RingSizeCurve curve{20, {}};
  for (std::size_t k = 0; k < options.ratios.size(); ++k) {
    const double loss = losses[k];
    RingSizePoint point{.plan = {.ring_size = static_cast<std::size_t>(20 * options.ratios[k])}};
    for (const double share : {0.25, 0.5, 1.0})
      point.path.push_back(
          {2 * share * loss, 0.5, share * loss, std::isfinite(loss) ? 1 - share * loss / 4 : 0});
    if (options.future == "offline") point.global_loss = 3 * loss;
    if (options.future == "offline") point.global_accuracy = 0.25;
    curve.points.push_back(std::move(point));
  }
  return curve;
}

// Latest first: the real future with two seeds, permutations with one.
inline std::vector<ReportedAnalysis> tiny_analyses() {
  const RingSizeOptions real = tiny_ring_size("offline", {0, 0.5, 1});
  const RingSizeOptions permuted = tiny_ring_size("permutation", {0, 0.5, 1});
  DifficultyOptions alone{real.spec, "real", 1, 2};
  DifficultyOptions blurred{real.spec, "blurring", 1, 2};
  ZeroShotOptions before{real.spec, 1, 2};
  return {recorded(permuted, 0, tiny_curve(permuted, {2, 1.5, 1})),
          recorded(real, 1, tiny_curve(real, {1.5, 0.5, 2})),
          recorded(real, 0, tiny_curve(real, {0.5, 1.5, 1})),
          recorded(alone, 0, {{{1, 0.9, 0.3, 0.95}, {2, 0.8, 0.5, 0.85}}}),
          recorded(alone, 1, {{{1, 0.7, 0.5, 0.75}, {2, 0.8, 0.7, 0.85}}}),
          recorded(blurred, 0, {{{1, 0.6, 1, 0.7}, {2, 0.4, 2, 0.5}}}),
          recorded(before, 0, {{{"real", {0.1, 0.2}}, {"rotation", {0.5, 0.25}}}})};
}

}  // namespace gps::testing
