// One step of experience replay (10 + 10 images) on a ResNet18 of full width, ours: prints the mean
// microseconds of processor time of a step. bench/resnet_versus.py runs it beside
// resnet_pytorch.py. Usage: resnet_step fp32|bf16 SECONDS
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "gps/core/rng.h"
#include "gps/nn/fused_resnet18.h"

namespace {

constexpr std::size_t kBatch = 10;

// Zero padding by 4, a crop and a flip, as for CIFAR-10.
void augment(const std::uint8_t* from, std::uint8_t* to, const gps::ImageShape& shape,
             gps::Rng& rng) {
  const int down = static_cast<int>(rng.index(9)) - 4;
  const int right = static_cast<int>(rng.index(9)) - 4;
  const bool flip = rng.index(2) == 1;
  for (int c = 0; c < shape.channels; ++c) {
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) {
        const int from_y = y + down;
        const int from_x = (flip ? shape.width - 1 - x : x) + right;
        const bool is_inside =
            from_y >= 0 && from_y < shape.height && from_x >= 0 && from_x < shape.width;
        *to++ =
            is_inside ? from[(c * shape.height + from_y) * shape.width + from_x] : std::uint8_t{0};
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: resnet_step fp32|bf16 SECONDS\n", stderr);
    return 2;
  }
  gps::FusedResNet18Options options;
  options.normalisation = {{0.4914f, 0.4822f, 0.4465f}, {0.2470f, 0.2435f, 0.2615f}};
  options.precision = gps::precision_from(argv[1]);
  const double wanted = std::atof(argv[2]);

  gps::Rng rng(1);
  std::vector<float> parameters(gps::fused_resnet18_parameters(options));
  for (float& value : parameters) value = static_cast<float>(0.06 * rng.uniform() - 0.03);
  const auto network = gps::make_fused_resnet18(options, parameters);

  const std::size_t bytes = options.shape.bytes();
  std::vector<std::uint8_t> pool(1000 * bytes);
  for (std::uint8_t& byte : pool) byte = static_cast<std::uint8_t>(rng.index(256));
  std::vector<std::uint8_t> augmented(2 * kBatch * bytes);
  std::vector<const std::uint8_t*> images(2 * kBatch);
  std::vector<gps::Label> labels(2 * kBatch);
  const std::span<const gps::Label> all(labels);
  const auto step = [&] {
    for (std::size_t r = 0; r < images.size(); ++r) {
      const std::size_t at = rng.index(1000);
      augment(pool.data() + at * bytes, augmented.data() + r * bytes, options.shape, rng);
      images[r] = augmented.data() + r * bytes;
      labels[r] = static_cast<gps::Label>(at % options.classes);
    }
    const gps::LossTerm terms[] = {{0, all.first(kBatch)}, {kBatch, all.subspan(kBatch)}};
    network->step(images, terms, 0.01f);
  };
  for (int k = 0; k < 3; ++k) step();
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
