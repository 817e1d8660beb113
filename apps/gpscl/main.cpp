#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include "gps/experiments/run.h"
using namespace gps;
int main(int argc, char** argv) {
  Spec spec;
  set_policy(spec, argc > 1 ? argv[1] : "reservoir");
  if (argc > 2) spec.benchmark.tasks = std::atoi(argv[2]);
  if (argc > 3) spec.initialisation = argv[3];
  const int seeds = argc > 4 ? std::atoi(argv[4]) : 1;
  Executor executor(2);
  auto source = open_benchmark(spec.benchmark, "");
  executor.for_each(seeds, [&](std::size_t s) {
    auto r = run(spec, s, *source, executor);
    std::printf("%zu %.2f  train %.2f s (%.1f us/step) sim %.2f eval %.2f\n", s, 100 * r.metrics.average_accuracy, r.seconds.training, 1e6 * r.seconds.training / double(r.steps), r.seconds.simulation, r.seconds.evaluation);
  });
}
