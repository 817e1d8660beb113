// The loop of a run in C++ over made-up tasks, for tests that compare gpscl.Memory with it: reads a
// request from standard input and writes what the memory held after each task, as JSON. The streams
// are those of experiments/run.cpp, and training is train_task() itself.
//
// The byte p of the image of row r of task t is (31 r + 17 t + 7 p) % 97, plus 150 where p % 5 is
// the label: something that a network can learn. An infinite loss is null in JSON. If the policy is
// gps, or `trains` is true, an MLP with one hidden layer of 16 is trained by ER, and its weights
// before and after all tasks are in the answer.
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gps/core/work/executor.h"
#include "gps/learners/replay_rows.h"
#include "gps/nn/catalog.h"
#include "gps/policies/catalog.h"
#include "gps/simulation/gps_policy.h"
#include "gps/training/trainer.h"

namespace {

using namespace gps;
using nlohmann::json;

constexpr int kSide = 4;
constexpr ImageShape kShape{1, kSide, kSide};

// Learns nothing, and notes which slots ER would replay.
class DrawingLearner final : public Learner {
 public:
  DrawingLearner(int wanted, std::size_t classes) : wanted_(wanted), classes_(classes) {}

  std::unique_ptr<Learner> clone() const override {
    return std::make_unique<DrawingLearner>(wanted_, classes_);
  }
  double observe(const Batch&, const Memory& past, Rng& rng) override {
    rows_.clear();
    const auto slots = rows_.draw(past, wanted_, rng);
    drawn.push_back(std::vector<std::uint32_t>(slots.begin(), slots.end()));
    return 0;
  }
  std::size_t classes() const override { return classes_; }
  void scores(ImageRows, std::span<float>) override {}
  std::size_t feature_size() const override { return 0; }
  void features(ImageRows, std::span<float>) override {}
  bool is_finite() const override { return true; }

  json drawn = json::array();

 private:
  int wanted_;
  std::size_t classes_;
  ReplayRows rows_;
};

Task made_up_task(int number, const std::vector<Label>& labels, int classes) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    for (std::size_t p = 0; p < kShape.bytes(); ++p) {
      const std::size_t noise = (31 * row + 17 * static_cast<std::size_t>(number) + 7 * p) % 97;
      bytes.push_back(static_cast<std::uint8_t>(noise + (p % 5 == labels[row] ? 150 : 0)));
    }
  }
  return {number, Dataset(kShape, std::move(bytes), labels, classes)};
}

json as_json(const Memory& memory) {
  json examples = json::array();
  for (const Example& example : memory.examples()) {
    json image = json::array();
    for (std::size_t p = 0; p < kShape.bytes(); ++p)
      image.push_back(example.image[static_cast<std::ptrdiff_t>(p)]);
    examples.push_back(
        {example.task, example.id, example.label, example.part == Part::ring, std::move(image)});
  }
  return examples;
}

json as_json(const Decision& decision) {
  json trials = json::array();
  for (const Trial& trial : decision.trials)
    trials.push_back({trial.plan.ring_size, trial.outcome.loss, trial.outcome.accuracy});
  return {{"task", decision.task},
          {"ring_size", decision.plan.ring_size},
          {"quota", decision.quota},
          {"trials", std::move(trials)}};
}

json answer(const json& request) {
  const Rng rng(request.at("seed").get<std::uint64_t>());
  const int classes = request.at("classes").get<int>();
  const auto tasks = request.at("tasks").get<std::vector<std::vector<Label>>>();
  const TrainOptions training{request.at("epochs").get<int>(), request.at("batch").get<int>()};
  PolicyOptions options;
  set_policy(options, request.at("policy").get<std::string>());
  const PolicyEntry& entry = find(policy_catalog(), "policy", options.name);
  for (const auto& [key, value] : request.at("options").items())
    options.settings[key] = value_from(*find_option(entry.options, key), value);
  const auto capacity = request.at("capacity").get<std::size_t>();
  Executor executor(1);
  SimulationNeeds needs;
  needs.tasks = static_cast<int>(tasks.size());
  needs.memory = static_cast<int>(capacity);
  needs.training = training;
  needs.executor = &executor;
  const auto policy = make_policy(options, {training.batch, &needs});
  std::unique_ptr<Learner> learner;
  DrawingLearner* drawing = nullptr;
  const Network* trained = nullptr;
  json weights = json::array();
  if (options.name == "gps" || request.value("trains", false)) {
    auto network = make_network({.hidden = {16}}, kShape, classes, {}, rng.fork("network"));
    trained = network.get();
    weights.push_back(trained->parameters());
    learner = make_learner({.name = "er", .learning_rate = 0.05f}, std::move(network));
  } else {
    auto own = std::make_unique<DrawingLearner>(training.batch, static_cast<std::size_t>(classes));
    drawing = own.get();
    learner = std::move(own);
  }
  Memory memory(capacity, kShape.bytes());
  json after = json::array();
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const int number = static_cast<int>(t) + 1;
    const Task task = made_up_task(number, tasks[t], classes);
    const Rng task_rng = rng.fork("task", number);
    train_task(*learner, *policy, memory, task, training, task_rng);
    finish_task(*learner, *policy, memory, task, task_rng);
    after.push_back(as_json(memory));
  }
  if (trained != nullptr) weights.push_back(trained->parameters());
  json decisions = json::array();
  for (const Decision& decision : policy->decisions()) decisions.push_back(as_json(decision));
  return {{"after", std::move(after)},
          {"decisions", std::move(decisions)},
          {"drawn", drawing == nullptr ? json::array() : drawing->drawn},
          {"weights", std::move(weights)}};
}

}  // namespace

int main() try {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  std::cout << answer(json::parse(text)).dump() << '\n';
  return 0;
} catch (const std::exception& error) {
  std::cerr << "reference_run: " << error.what() << '\n';
  return 1;
}
