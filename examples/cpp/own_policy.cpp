// A policy of one's own: it keeps the first examples that it sees of each task, and gives every
// task an equal share of the memory. It needs gps::core only.
#include <iostream>

#include "gps/gps.h"

namespace {

class FirstOfEachTask final : public gps::MemoryPolicy {
 public:
  explicit FirstOfEachTask(std::size_t share) : share_(share) {}

  // After each step, with the examples of that step.
  void observe(gps::Memory& memory, const gps::Batch& batch, gps::Rng& /*rng*/) override {
    for (std::size_t row = 0; row < batch.size(); ++row) {
      if (memory.count(batch.task) < share_ && !memory.contains(batch.task, batch.ids[row]))
        memory.add(memory.make_example(batch, row, gps::Part::reservoir));
    }
  }

 private:
  std::size_t share_;
};

}  // namespace

int main() {
  constexpr int kTasks = 3;
  constexpr std::size_t kMemory = 150;
  const gps::BenchmarkOptions options{
      .name = "p-fashion-mnist", .tasks = kTasks, .examples_per_task = 1000};
  const auto stream = gps::open_benchmark(options, /*data=*/"")->stream(/*seed=*/0);
  const gps::Rng rng(0);
  const auto learner = gps::make_learner(
      {.name = "er"}, gps::make_network({}, stream->shape(), stream->classes(),
                                        stream->normalisation(), rng.fork("network")));
  FirstOfEachTask policy(kMemory / kTasks);
  gps::Memory memory(kMemory, stream->shape(), stream->augmentation());
  for (int i = 1; i <= kTasks; ++i) {
    const gps::Task task = stream->task(i);
    gps::train_task(*learner, policy, memory, task, {.epochs = 2, .batch = 10},
                    rng.fork("task", i));
    gps::finish_task(*learner, policy, memory, task, rng.fork("task", i));
    std::cout << "after task " << i << ", " << memory.size() << " examples kept; accuracy of";
    for (int j = 1; j <= i; ++j)
      std::cout << " task " << j << ": " << gps::evaluate(*learner, stream->test(j)).accuracy;
    std::cout << "\n";
  }
}
