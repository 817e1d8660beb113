#include "gps/probes/ring_size_curve.h"
#include "gps/core/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "gps/policies/mixed.h"
#include "gps/probes/json.h"
#include "gps/probes/prefix.h"
#include "gps/simulation/scene.h"
#include "gps/training/evaluate.h"

namespace gps {
namespace {

constexpr TaskScore kBroken{std::numeric_limits<double>::infinity(), 0,
                            std::numeric_limits<double>::infinity(), 0};

int tasks_to_come(const RingSizeOptions& options) {
  const int all = options.spec.benchmark.tasks - options.task;
  return options.window > 0 ? std::min(all, options.window) : all;
}

TrainOptions training_of(const RingSizeOptions& options) {
  TrainOptions training = options.spec.training;
  if (options.epochs > 0) training.epochs = options.epochs;
  return training;
}

// Evaluates the learner. If its loss is not finite, returns infinite loss and zero accuracy.
Evaluation judge(Learner& learner, const Dataset& examples, std::span<const Label> labels,
                 const StopFlag* stop) {
  Evaluation result = evaluate(learner, examples, labels, stop);
  if (std::isfinite(result.loss)) return result;
  result.loss = std::numeric_limits<double>::infinity();
  result.accuracy = 0;
  return result;
}

// Works like mixed and gps while the task is learnt. At the end of the task it tries all ring
// sizes.
class Curious final : public RebuildingPolicy {
 public:
  Curious(const RingSizeOptions& options, const Benchmark& benchmark, Executor& executor,
          const StopFlag* stop, TaskTally& tally)
      : RebuildingPolicy(read_rebuilding(options.spec.policy.settings).in_task,
                         make_base_pair(read_rebuilding(options.spec.policy.settings).base)),
        options_(options),
        benchmark_(benchmark),
        executor_(executor),
        stop_(stop),
        tally_(tally) {}

  RingSizeCurve take() { return std::move(curve_); }

 protected:
  Decision choose_with(const Learner& learner, const TaskEnd& end) override {
    const auto future = make_future(options_.future, &benchmark_);
    const Scene scene(end.task, end.orders, *future,
                      {tasks_to_come(options_), static_cast<std::size_t>(options_.examples),
                       Score::natural, static_cast<std::size_t>(options_.score_examples)},
                      end.rng);
    const Situation situation =
        scene.situation(learner, end.memory, training_of(options_),
                        read_rebuilding(options_.spec.policy.settings).in_task, stop_);
    const Dataset test = benchmark_.test(end.task.number).materialised();
    const PlanLine line = plans_up_to(end.quota);
    curve_.quota = end.quota;
    curve_.points.resize(options_.ratios.size());
    executor_.for_each(curve_.points.size(), [&](std::size_t k) {
      RingSizePoint& point = curve_.points[k];
      point.plan = line.at_share(options_.ratios[k]);
      global_sim(point.plan, situation, [&](int tasks, Learner& imagined) {
        const Evaluation seen = judge(imagined, scene.held_back(), end.task.labels, stop_);
        const Evaluation tested = judge(imagined, test, end.task.labels, stop_);
        point.path.push_back({seen.loss, seen.accuracy, tested.loss, tested.accuracy});
        if (tasks > 0) tally_.add();
        const int last = options_.spec.benchmark.tasks - end.task.number;
        if (tasks == last && options_.future == "offline") add_global(point, imagined);
      });
      point.path.resize(scene.future().size() + 1, kBroken);
    });
    return {end.task.number, line.at(line.last / 2), end.quota};
  }

 private:
  void add_global(RingSizePoint& point, Learner& learner) const {
    double loss = 0;
    double accuracy = 0;
    for (int task = 1; task <= benchmark_.tasks(); ++task) {
      const Evaluation end =
          judge(learner, benchmark_.test(task), benchmark_.labels_of(task), stop_);
      loss += end.loss / benchmark_.tasks();
      accuracy += end.accuracy / benchmark_.tasks();
    }
    point.global_loss = loss;
    point.global_accuracy = accuracy;
  }

  const RingSizeOptions& options_;
  const Benchmark& benchmark_;
  Executor& executor_;
  const StopFlag* stop_;
  TaskTally& tally_;
  RingSizeCurve curve_;
};

constexpr std::array kMeasures = {Measure::loss,        Measure::accuracy,
                                  Measure::test_loss,   Measure::test_accuracy,
                                  Measure::global_loss, Measure::global_accuracy};

}  // namespace

RingSizeCurve RingSizeCurve::from_json(const nlohmann::json& json) {
  RingSizeCurve curve;
  json.at("quota").get_to(curve.quota);
  for (const nlohmann::json& each : json.at("points")) {
    RingSizePoint point{.plan = plan_from_json(each)};
    for (const nlohmann::json& score : each.at("path")) {
      point.path.push_back({loss_from(score.at("loss")), score.at("accuracy").get<double>(),
                            loss_from(score.at("test_loss")),
                            score.at("test_accuracy").get<double>()});
    }
    if (each.contains("global_loss")) {
      point.global_loss = loss_from(each.at("global_loss"));
      point.global_accuracy = each.at("global_accuracy").get<double>();
    }
    curve.points.push_back(std::move(point));
  }
  return curve;
}

nlohmann::json to_json(const RingSizeCurve& result) {
  nlohmann::json points = nlohmann::json::array();
  for (const RingSizePoint& point : result.points) {
    nlohmann::json path = nlohmann::json::array();
    for (const TaskScore& score : point.path) {
      path.push_back({{"loss", score.loss},
                      {"accuracy", score.accuracy},
                      {"test_loss", score.test_loss},
                      {"test_accuracy", score.test_accuracy}});
    }
    nlohmann::json json = {{"path", std::move(path)}};
    put_plan(point.plan, json);
    if (point.global_loss) {
      json["global_loss"] = *point.global_loss;
      json["global_accuracy"] = *point.global_accuracy;
    }
    points.push_back(std::move(json));
  }
  return {{"quota", result.quota}, {"points", std::move(points)}};
}

std::vector<double> even_ratios(int points) {
  std::vector<double> ratios;
  for (int k = 0; k < points; ++k) ratios.push_back(static_cast<double>(k) / (points - 1));
  return ratios;
}

void validate(const RingSizeOptions& options) {
  validate(options.spec);
  if (options.spec.policy.name != "mixed")
    throw UsageError(fmt::format("only policy 'mixed' has a ring size for each task, got '{}'",
                                 policy_label(options.spec.policy)));
  const int tasks = options.spec.benchmark.tasks;
  if (options.task < 1 || options.task >= tasks) {
    throw OptionError(
        "task",
        fmt::format("must be between 1 and {}, because the last of {} tasks has no future, got {}",
                    tasks - 1, tasks, options.task));
  }
  find(future_catalog(), "future", options.future);
  if (options.ratios.empty()) throw OptionError("ratios", "needs at least one");
  for (const double ratio : options.ratios) {
    if (!(ratio >= 0 && ratio <= 1))
      throw OptionError("ratios", fmt::format("must be between 0 and 1, got {}", ratio));
  }
  const auto require = [](const char* option, int value, int least) {
    if (value < least)
      throw OptionError(option, fmt::format("must be at least {}, got {}", least, value));
  };
  require("sim-epochs", options.epochs, 0);
  require("sim-examples", options.examples, 0);
  require("window", options.window, 0);
  require("score-examples", options.score_examples, 1);
}

nlohmann::json to_json(const RingSizeOptions& options) {
  return {{"spec", to_json(options.spec)},
          {"task", options.task},
          {"future", options.future},
          {"ratios", options.ratios},
          {"epochs", training_of(options).epochs},
          {"examples", options.examples},
          {"window", tasks_to_come(options)},
          {"score_examples", options.score_examples}};
}

RingSizeCurve analyse(const RingSizeOptions& options, std::uint64_t seed,
                      const BenchmarkSource& source, Executor& executor, const ProbeHooks& hooks) {
  validate(options);
  const auto to_come = static_cast<std::size_t>(tasks_to_come(options));
  TaskTally tally(hooks, static_cast<std::size_t>(options.task) + options.ratios.size() * to_come);
  Prefix prefix =
      learn_first(options.task - 1, options.spec, seed, source, executor, hooks.stop, tally);
  const Task task = prefix.task(options.task);
  const Rng rng = prefix.rng.fork("task", options.task);
  Curious policy(options, *prefix.benchmark, executor, hooks.stop, tally);
  const TrainHooks train_hooks{.stop = hooks.stop, .progress = {}};
  train_task(*prefix.learner, policy, prefix.memory, task, options.spec.training, rng, train_hooks);
  tally.add();
  finish_task(*prefix.learner, policy, prefix.memory, task, rng);
  return policy.take();
}

std::string name_of(Measure measure) {
  switch (measure) {
    case Measure::loss:
      return "held-back-loss";
    case Measure::accuracy:
      return "held-back-accuracy";
    case Measure::test_loss:
      return "test-loss";
    case Measure::test_accuracy:
      return "test-accuracy";
    case Measure::global_loss:
      return "global-loss";
    case Measure::global_accuracy:
      return "global-accuracy";
  }
  return "";
}

Measure measure_from(const std::string& name) {
  std::vector<std::string> known;
  for (const Measure measure : kMeasures) {
    if (name_of(measure) == name) return measure;
    known.push_back(name_of(measure));
  }
  throw UsageError(fmt::format("unknown measure '{}'; known: {}", name, join(known)));
}

std::vector<double> values_of(const RingSizeCurve& curve, Measure measure) {
  std::vector<double> values;
  for (const RingSizePoint& point : curve.points) {
    const TaskScore& end = point.end();
    const bool is_global = measure == Measure::global_loss || measure == Measure::global_accuracy;
    if (is_global && !point.global_loss)
      throw UsageError(
          fmt::format("{} needs the future 'offline' with all later tasks", name_of(measure)));
    values.push_back(measure == Measure::loss            ? end.loss
                     : measure == Measure::accuracy      ? end.accuracy
                     : measure == Measure::test_loss     ? end.test_loss
                     : measure == Measure::test_accuracy ? end.test_accuracy
                     : measure == Measure::global_loss   ? *point.global_loss
                                                         : *point.global_accuracy);
  }
  return values;
}

}  // namespace gps
