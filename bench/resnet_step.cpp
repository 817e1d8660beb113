// An ER step of ResNet18 on 10 + 10 images of 3 x 32 x 32, as gpscl does it: augment the batch,
// draw and augment memory examples, forward, backward, update, reservoir. Prints the microseconds
// of processor time per step. bench/resnet_versus.py runs it beside resnet_pytorch.py.
// Usage: resnet_step own|libtorch fp32|bf16 SECONDS [WIDTH]
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "gps/learners/learner.h"
#include "gps/nn/catalog.h"
#include "gps/policies/policy.h"

namespace {

gps::Task made_up_task() {
  const gps::ImageShape shape{3, 32, 32};
  constexpr std::size_t kImages = 500;
  gps::Rng draw(1);
  std::vector<std::uint8_t> bytes(kImages * shape.bytes());
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(draw.index(256));
  std::vector<gps::Label> labels(kImages);
  for (gps::Label& label : labels) label = static_cast<gps::Label>(draw.index(10));
  return {.number = 1,
          .train = gps::Dataset(shape, std::move(bytes), labels, 10),
          .labels = {},
          .augmentation = {.padding = 4, .flips = true}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fputs("usage: resnet_step own|libtorch fp32|bf16 SECONDS [WIDTH]\n", stderr);
    return 2;
  }
  gps::NetworkOptions options;
  options.model = "resnet18";
  options.backend = argv[1];
  options.precision = std::string(argv[2]) == "bf16" ? gps::Precision::bf16 : gps::Precision::fp32;
  const double wanted = std::atof(argv[3]);
  if (argc == 5) options.width = std::atoi(argv[4]);
  const gps::Normalisation normalisation{{0.4914f, 0.4822f, 0.4465f}, {0.2470f, 0.2435f, 0.2615f}};
  const gps::Task task = made_up_task();
  gps::Memory memory(200, task.train.shape(), task.augmentation);
  gps::LearnerOptions er;
  er.learning_rate = 0.03f;
  const auto learner = gps::make_learner(
      er, gps::make_network(options, task.train.shape(), 10, normalisation, gps::Rng(1)));
  const auto policy = gps::make_reservoir();
  policy->begin_task(memory, task, gps::Rng(2));
  gps::Batch batch;
  gps::Rng rng(3);
  const auto step = [&] {
    const auto order = rng.permutation(task.train.size());
    batch.gather(task, std::span(order).first(10));
    batch.vary(task, rng.fork("views", order[0]));
    learner->observe(batch, memory, rng);
    tell_step(*policy, memory, batch, *learner, rng);
  };
  for (int k = 0; k < 3; ++k) step();  // choose the kernels and fill the memory
  const std::clock_t start = std::clock();
  const auto seconds = [start] {
    return static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC);
  };
  std::size_t steps = 0;
  do {
    step();
    ++steps;
  } while (seconds() < wanted);
  std::printf("%.1f\n", 1e6 * seconds() / static_cast<double>(steps));
  return 0;
}
