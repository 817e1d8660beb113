// A small ResNet18, images and losses for it.
#pragma once

#include <cmath>
#include <vector>

#include "gps/core/rng.h"
#include "gps/nn/resnet18/fused_resnet18.h"

namespace gps::testing {

// Weights as He et al. draw them, scales about 1, shifts about 0: nothing is zero, no row is alike.
inline std::vector<float> resnet18_parameters(const FusedResNet18Options& options,
                                              std::uint64_t seed) {
  Rng draw(seed);
  std::vector<float> values;
  const auto add = [&](std::size_t count, double centre, double spread) {
    for (std::size_t k = 0; k < count; ++k)
      values.push_back(static_cast<float>(centre + spread * (2 * draw.uniform() - 1)));
  };
  const auto add_unit = [&](std::size_t in, std::size_t out, std::size_t kernel) {
    const std::size_t fan = in * kernel * kernel;
    add(out * fan, 0, std::sqrt(6.0 / static_cast<double>(fan)));
    add(out, 1, 0.3);
    add(out, 0, 0.3);
  };
  std::size_t in = options.width;
  add_unit(static_cast<std::size_t>(options.shape.channels), in, 3);
  for (std::size_t stage = 0; stage < 4; ++stage) {
    for (std::size_t block = 0; block < 2; ++block) {
      const std::size_t out = options.width << stage;
      add_unit(in, out, 3);
      add_unit(out, out, 3);
      if (in != out) add_unit(in, out, 1);
      in = out;
    }
  }
  add(options.classes * in + options.classes, 0, 1 / std::sqrt(static_cast<double>(in)));
  return values;
}

// Images of which each class has a random pattern of its own, under noise.
struct PatternImages {
  PatternImages(const FusedResNet18Options& options, std::size_t count, std::uint64_t seed) {
    const std::size_t size = options.shape.bytes();
    bytes.resize(count * size);
    for (std::size_t r = 0; r < count; ++r) {
      labels.push_back(static_cast<Label>(r % options.classes));
      Rng pattern = Rng(99).fork("class", labels.back());
      Rng noise = Rng(seed).fork("noise", r);
      for (std::size_t k = 0; k < size; ++k)
        bytes[r * size + k] =
            static_cast<std::uint8_t>((2 * pattern.index(256) + noise.index(256)) / 3);
    }
    for (std::size_t r = 0; r < count; ++r) rows.push_back(bytes.data() + r * size);
  }
  PatternImages(const PatternImages&) = delete;
  PatternImages& operator=(const PatternImages&) = delete;

  std::vector<std::uint8_t> bytes;
  std::vector<Label> labels;
  std::vector<const std::uint8_t*> rows;
};

}  // namespace gps::testing
