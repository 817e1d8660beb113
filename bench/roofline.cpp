// Compares the P-MNIST ER step with the highest speed of the core: its floating-point operations
// per second, beside those of a plain multiply-add loop (multiply_add.h) on the same core. The two
// alternate, so that other load on the machine affects both, and the share is computed round by
// round. Prints Markdown; numbers are medians over the rounds.
//
// The count has the multiply-adds of the layers, as two operations each: forward, errors (for all
// layers except the first) and the weight gradient, which is added directly to the weights. Biases,
// softmax, gathering, drawing and the reservoir take part of the time but are not counted.
//   nominal    counted as dense matrix products, including zeros
//   effective  only operations on inputs that are not zero: what the kernels really do, except for
//              padding
// Usage: roofline [ROUNDS]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "bench/multiply_add.h"
#include "bench/setting.h"

namespace gps::bench {
namespace {

constexpr std::size_t kRows = 20;
constexpr double kSliceSeconds = 0.2;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Runs `work`, which returns how much it did, for a slice of time. Returns the work per second.
template <typename Work>
double rate(const Work& work) {
  double done = 0;
  const double start = now();
  double seconds = 0;
  while ((seconds = now() - start) < kSliceSeconds) done += work();
  return done / seconds;
}

// Returns the operations of a step if the inputs of layer l have the given density.
double operations(const std::vector<std::size_t>& sizes, const std::vector<double>& density) {
  double total = 0;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    const double product = 2.0 * kRows * density[l] * static_cast<double>(sizes[l] * sizes[l + 1]);
    total += (l == 0 ? 2 : 3) * product;
  }
  return total;
}

// Returns the share of each layer's inputs that are not zero, over rows as in a step: half from the
// task, half from the memory. It is computed from the parameters, because the network does not
// expose its activations.
std::vector<double> densities(LearnerSteps& steps, const std::vector<std::size_t>& sizes) {
  constexpr std::size_t kSample = 500;
  const std::vector<float> parameters = steps.network().parameters();
  std::vector<double> nonzero(sizes.size() - 1);
  std::vector<std::uint8_t> scratch(sizes.front());
  const Dataset& train = steps.task().train;
  for (std::size_t n = 0; n < 2 * kSample; ++n) {
    const std::size_t k = n / 2;
    const std::uint8_t* image =
        n % 2 == 0 ? train.image(k * train.size() / kSample, scratch)
                   : steps.memory().image(k * steps.memory().size() / kSample, scratch);
    std::vector<float> in(image, image + sizes.front());
    for (float& value : in) value /= 255.0f;
    const float* weights = parameters.data();
    for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
      nonzero[l] += static_cast<double>(in.size()) -
                    static_cast<double>(std::count(in.begin(), in.end(), 0.0f));
      const float* biases = weights + sizes[l] * sizes[l + 1];
      std::vector<float> out(biases, biases + sizes[l + 1]);
      for (float& sum : out) {
        for (const float value : in) sum += value * *weights++;
        sum = std::max(sum, 0.0f);
      }
      weights += out.size();
      in = std::move(out);
    }
  }
  for (std::size_t l = 0; l < nonzero.size(); ++l)
    nonzero[l] /= 2.0 * kSample * static_cast<double>(sizes[l]);
  return nonzero;
}

void print_row(const char* name, double operations, const std::vector<double>& rates,
               const std::vector<double>& plain) {
  std::vector<double> shares;
  for (std::size_t k = 0; k < rates.size(); ++k) shares.push_back(rates[k] / plain[k]);
  fmt::print("| {} | {:.2f} | {:.1f} | {:.1f} % |\n", name, 1e-6 * operations, 1e-9 * median(rates),
             100 * median(shares));
}

void report(std::size_t units, int rounds) {
  const std::vector<std::size_t> sizes = {784, units, units, 10};
  LearnerSteps steps(sizes);
  // Train first: a freshly initialised network has other densities than one in a run.
  for (int k = 0; k < 5000; ++k) steps.step();
  std::vector<double> plain;
  std::vector<double> nominal;
  std::vector<double> effective;
  std::vector<double> microseconds;
  std::vector<std::vector<double>> density(sizes.size() - 1);
  std::vector<double> effective_operations;
  const double dense = operations(sizes, std::vector<double>(sizes.size() - 1, 1.0));
  for (int round = 0; round < rounds; ++round) {
    fmt::print(stderr, "roofline: {} units, round {} of {}\n", units, round + 1, rounds);
    const std::vector<double> measured = densities(steps, sizes);
    plain.push_back(rate([] { return multiply_add(100000); }));
    const double a_second = rate([&] {
      for (int k = 0; k < 100; ++k) steps.step();
      return 100.0;
    });
    for (std::size_t l = 0; l < measured.size(); ++l) density[l].push_back(measured[l]);
    effective_operations.push_back(operations(sizes, measured));
    microseconds.push_back(1e6 / a_second);
    nominal.push_back(a_second * dense);
    effective.push_back(a_second * effective_operations.back());
  }
  fmt::print(
      "784-{0}-{0}-10, {1}, {2}, {3:.1f} µs a step; not zero: {4:.0f} % of the pixels, "
      "{5:.0f} % and {6:.0f} % of the hidden units; median of {7} rounds of {8} s each\n\n",
      units, images().set, kernels::target_name(), median(microseconds), 100 * median(density[0]),
      100 * median(density[1]), 100 * median(density[2]), rounds, kSliceSeconds);
  fmt::print("| | MFLOP a step | GFLOP/s | of the plain loop |\n|---|---|---|---|\n");
  fmt::print("| plain multiply-add loop | | {:.1f} | |\n", 1e-9 * median(plain));
  print_row("ER step, nominal", dense, nominal, plain);
  print_row("ER step, effective", median(effective_operations), effective, plain);
  fmt::print("\n");
}

}  // namespace
}  // namespace gps::bench

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  if (argc > 2 || rounds < 1) {
    fmt::print(stderr, "usage: roofline [ROUNDS]\n");
    return 2;
  }
  if (std::string_view(gps::bench::multiply_add_target()) != gps::kernels::target_name()) {
    fmt::print(stderr, "roofline: the plain loop uses {}, the kernels {}\n",
               gps::bench::multiply_add_target(), gps::kernels::target_name());
    return 1;
  }
  for (const std::size_t units : {100, 400}) gps::bench::report(units, rounds);
}
