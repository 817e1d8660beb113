// An ER step of ResNet18 on 10 + 10 images of 3 x 32 x 32 as gpscl takes it: draw from the memory,
// forward, backward, update, reservoir.
// Usage: resnet_step fp32|bf16 SECONDS [WIDTH]    prints images a second
#include <chrono>
#include <cstdio>
#include <cstdlib>

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
  return {1, gps::Dataset(shape, std::move(bytes), labels, 10)};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  gps::NetworkOptions options;
  options.model = "resnet18";
  options.precision = std::string(argv[1]) == "bf16" ? gps::Precision::bf16 : gps::Precision::fp32;
  const double seconds = std::atof(argv[2]);
  if (argc > 3) options.width = std::atoi(argv[3]);
  const gps::Normalisation normalisation{{0.4914f, 0.4822f, 0.4465f}, {0.2470f, 0.2435f, 0.2615f}};
  const gps::Task task = made_up_task();
  gps::Memory memory(200, task.train.shape().bytes());
  gps::LearnerOptions er;
  er.learning_rate = 0.03f;
  const auto learner = gps::make_learner(
      er, gps::make_network(options, task.train.shape(), 10, normalisation, gps::Rng(1)));
  const auto policy = gps::make_reservoir();
  policy->begin_task(memory, task, gps::Rng(2));
  gps::Batch batch;
  gps::Rng rng(3);
  std::size_t images = 0;
  auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (int step = 0; step < 3 || elapsed() < seconds; ++step) {
    const auto order = rng.permutation(task.train.size());
    batch.gather(task, std::span(order).first(10));
    learner->observe(batch, memory, rng);
    policy->watch(memory, batch, *learner, rng);
    images += 20;
    if (step == 2) {  // the first ones find out which kernels to use, and fill the memory
      start = std::chrono::steady_clock::now();
      images = 0;
    }
  }
  std::printf("%.3f\n", static_cast<double>(images) / elapsed());
  return 0;
}
