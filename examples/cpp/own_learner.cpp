// A learner of one's own: a step on the new examples, then a step on as many stored ones, instead
// of one step on both. It needs gps::core only.
#include <iostream>
#include <vector>

#include "gps/gps.h"

namespace {

class TwoSteps final : public gps::NetworkLearner {
 public:
  TwoSteps(float rate, std::unique_ptr<gps::Network> network)
      : NetworkLearner(std::move(network)), rate_(rate) {}

  // GPS learns pretended tasks with copies.
  std::unique_ptr<gps::Learner> clone() const override {
    return std::make_unique<TwoSteps>(rate_, network_->clone());
  }

  double observe(const gps::Batch& now, const gps::Memory& past, gps::Rng& rng) override {
    const std::vector<gps::LossTerm> loss = {{.first = 0, .labels = now.labels}};
    const double before = network_->step(now.images, loss, rate_);
    if (past.is_empty()) return before;
    gps::DecodedRows images;
    std::vector<gps::Label> labels;
    for (std::size_t k = 0; k < now.size(); ++k) {
      const gps::Example& example = past[rng.index(past.size())];
      images.add(past, example);
      labels.push_back(example.label);
    }
    const std::vector<gps::LossTerm> replay = {{.first = 0, .labels = labels}};
    network_->step(images.rows(), replay, rate_);
    return before;
  }

 private:
  float rate_;
};

}  // namespace

int main() {
  constexpr int kTasks = 3;
  const gps::BenchmarkOptions options{
      .name = "p-fashion-mnist", .tasks = kTasks, .examples_per_task = 1000};
  const auto stream = gps::open_benchmark(options, /*data=*/"")->stream(/*seed=*/0);
  const gps::Rng rng(0);
  TwoSteps learner(/*rate=*/0.1f, gps::make_network({}, stream->shape(), stream->classes(),
                                                    stream->normalisation(), rng.fork("network")));
  const auto policy = gps::make_policy({.name = "reservoir"}, gps::PolicyContext{});
  gps::Memory memory(/*capacity=*/150, stream->shape(), stream->augmentation());
  for (int i = 1; i <= kTasks; ++i) {
    const gps::Task task = stream->task(i);
    gps::train_task(learner, *policy, memory, task, {.epochs = 2, .batch = 10},
                    rng.fork("task", i));
    gps::finish_task(learner, *policy, memory, task, rng.fork("task", i));
    std::cout << "after task " << i << ", accuracy of";
    for (int j = 1; j <= i; ++j)
      std::cout << " task " << j << ": " << gps::evaluate(learner, stream->test(j)).accuracy;
    std::cout << "\n";
  }
}
