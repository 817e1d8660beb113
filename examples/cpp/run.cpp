// One run: GPS on a small Fashion-MNIST, and the table that gpscl run would print. The data is
// Debian's dataset-fashion-mnist, or lies in the folder that $GPSCL_DATA names.
#include <iostream>

#include "gps/gps.h"

int main() {
  gps::Spec spec;  // the paper's options, unless told otherwise
  spec.benchmark = {.name = "p-fashion-mnist", .tasks = 3, .examples_per_task = 1000};
  spec.memory = 100;
  gps::set_policy(spec.policy, "gps");
  gps::Executor executor(/*workers=*/2);
  const auto source = gps::open_benchmark(spec.benchmark, /*data=*/"");
  const gps::RunResult result = gps::run(spec, /*seed=*/0, *source, executor);
  std::cout << gps::comparison_table({result});
}
