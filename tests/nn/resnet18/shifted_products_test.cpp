#include "gps/nn/resnet18/shifted_products.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gps/core/rng.h"
#include "gps/core/simd_target.h"
#include "gps/nn/resnet18/amx_products.h"
#include "gps/nn/resnet18/image_grid.h"
#include "nn/targets.h"

namespace gps {
namespace shifted_products_test {

TEST(Bf16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(to_float(rounded_to<Bf16>(1.0f)), 1.0f);
  EXPECT_EQ(to_float(rounded_to<Bf16>(-3.0f)), -3.0f);
  EXPECT_EQ(to_float(rounded_to<Bf16>(1.0f + 0x1p-9f)), 1.0f);
  EXPECT_EQ(to_float(rounded_to<Bf16>(1.0f + 0x1p-8f)), 1.0f);              // halfway, down to even
  EXPECT_EQ(to_float(rounded_to<Bf16>(1.0f + 0x3p-8f)), 1.0f + 0x1p-6f);    // halfway, up to even
  EXPECT_EQ(to_float(rounded_to<Bf16>(1.0f + 0x1.8p-8f)), 1.0f + 0x1p-7f);  // above halfway
}

// Two taps of different inputs and one more shift of the second, on a grid of 5 images. The last
// channels are padding.
template <typename T>
class Problem {
 public:
  static constexpr std::size_t kInputs = 64;
  static constexpr std::size_t kOutputs = 96;
  static constexpr std::size_t kUsedInputs = 43;
  static constexpr std::size_t kUsedOutputs = 75;
  static constexpr std::size_t kTaps = 3;
  static constexpr std::ptrdiff_t kShifts[kTaps] = {1, -9, 8};

  Problem() : weights(shape.size()) {
    Rng draw(1);
    const auto value = [&] { return static_cast<float>(2 * draw.uniform() - 1); };
    for (std::size_t t = 0; t < kTaps; ++t) {
      for (std::size_t i = 0; i < kUsedInputs; ++i)
        for (std::size_t o = 0; o < kUsedOutputs; ++o) weights[place(t, i, o)] = value();
    }
    for (auto* buffer : {&in[0], &in[1]}) {
      for (std::size_t p = 0; p < grid.area() * images; ++p)
        for (std::size_t i = 0; i < kUsedInputs; ++i)
          buffer->data()[p * kInputs + i] = rounded_to<T>(value());
    }
    for (const std::size_t p : pixels()) {
      for (std::size_t o = 0; o < kUsedOutputs; ++o)
        errors.data()[p * kOutputs + o] = rounded_to<T>(value());
    }
    // Beyond the last position there may be anything: it must not count.
    for (std::size_t k = 0; k < 10 * kOutputs; ++k)
      errors.data()[grid.area() * images * kOutputs + k] = rounded_to<T>(1e6f);
  }

  static std::size_t place(std::size_t tap, std::size_t i, std::size_t o) {
    return tap * kInputs * kOutputs + o / kPanel * kPanel * kInputs + i * kPanel + o % kPanel;
  }
  std::vector<std::size_t> pixels() const {
    std::vector<std::size_t> positions;
    for (std::size_t n = 0; n < images; ++n) {
      for (std::size_t y = 0; y < grid.height; ++y)
        for (std::size_t x = 0; x < grid.width; ++x) positions.push_back(grid.position(n, y, x));
    }
    return positions;
  }

  const T* input(std::size_t tap) const { return in[tap == 0 ? 0 : 1].data(); }
  double value(std::size_t tap, std::size_t position, std::size_t i) const {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(position) + kShifts[tap];
    return static_cast<double>(to_float(
        input(tap)[at * static_cast<std::ptrdiff_t>(kInputs) + static_cast<std::ptrdiff_t>(i)]));
  }
  double weight(std::size_t tap, std::size_t i, std::size_t o) const {
    return static_cast<double>(to_float(rounded_to<T>(weights[place(tap, i, o)])));
  }

  const ImageGrid grid{7, 7};
  const std::size_t images = 5;
  const ShiftedShape shifted{grid, images, kInputs, kOutputs, kUsedInputs, kUsedOutputs};
  const WeightShape shape{kTaps, kInputs, kOutputs};
  AlignedFloats weights;
  PixelBuffer<T> in[2] = {{grid, kInputs, images}, {grid, kInputs, images}};
  PixelBuffer<T> errors{grid, kOutputs, images};
};

template <typename T>
void expect_products(Products how, double tolerance) {
  Problem<T> p;
  PackedWeights<T> packed(p.shape, how);
  packed.pack(p.weights.data());
  std::vector<Tap<T>> taps;
  for (std::size_t t = 0; t < p.kTaps; ++t)
    taps.push_back(
        {p.input(t) + p.kShifts[t] * static_cast<std::ptrdiff_t>(p.kInputs), packed.tap(t)});
  PixelBuffer<T> out(p.grid, p.kOutputs, p.images);
  AlignedFloats scratch;
  shifted_products<T>(p.shifted, taps, out.data(), scratch, how);
  for (const std::size_t at : p.pixels()) {
    for (std::size_t o = 0; o < p.kOutputs; o += 7) {
      double sum = 0;
      for (std::size_t t = 0; t < p.kTaps; ++t) {
        for (std::size_t i = 0; i < p.kInputs; ++i) sum += p.value(t, at, i) * p.weight(t, i, o);
      }
      ASSERT_NEAR(static_cast<double>(to_float(out.data()[at * p.kOutputs + o])), sum,
                  tolerance * std::max(1.0, std::abs(sum)));
    }
  }

  // And back, with the weights transposed.
  packed.pack_transposed(p.weights.data());
  const Tap<T> tap{p.errors.data(), packed.tap(1)};
  PixelBuffer<T> back(p.grid, p.kInputs, p.images);
  shifted_products<T>(p.shifted.turned(), std::span(&tap, 1), back.data(), scratch, how);
  for (const std::size_t at : p.pixels()) {
    for (std::size_t i = 0; i < p.kInputs; i += 5) {
      double sum = 0;
      for (std::size_t o = 0; o < p.kOutputs; ++o)
        sum +=
            static_cast<double>(to_float(p.errors.data()[at * p.kOutputs + o])) * p.weight(1, i, o);
      ASSERT_NEAR(static_cast<double>(to_float(back.data()[at * p.kInputs + i])), sum,
                  tolerance * std::max(1.0, std::abs(sum)));
    }
  }
}

template <typename T>
void expect_outer_products(Products how) {
  Problem<T> p;
  AlignedFloats gradient = p.weights;
  AlignedFloats scratch;
  std::vector<GradientTap<T>> taps;
  for (std::size_t t = 0; t < p.kTaps; ++t)
    taps.push_back({p.input(t), p.kShifts[t], gradient.data() + t * p.shape.tap_size()});
  add_shifted_outer_products<T>(p.shifted, taps, p.errors.data(), 0.5f, scratch, how);
  for (std::size_t t = 0; t < p.kTaps; ++t) {
    for (std::size_t i = 0; i < p.kInputs; i += 5) {
      for (std::size_t o = 0; o < p.kOutputs; o += 7) {
        double sum = 0;
        for (const std::size_t at : p.pixels())
          sum += p.value(t, at, i) *
                 static_cast<double>(to_float(p.errors.data()[at * p.kOutputs + o]));
        const std::size_t k = p.place(t, i, o);
        ASSERT_NEAR(static_cast<double>(gradient[k]), static_cast<double>(p.weights[k]) + 0.5 * sum,
                    1e-4);
      }
    }
  }
}

TEST(ShiftedProducts, AreWhatTheyShouldBeInFloat) {
  testing::for_each_target([] {
    expect_products<float>(Products::best, 1e-5);
    expect_outer_products<float>(Products::best);
  });
}

TEST(ShiftedProducts, AreWhatTheyShouldBeInBf16OnAnyCpu) {
  testing::for_each_target([] {
    expect_products<Bf16>(Products::portable, 0x1p-8);
    expect_outer_products<Bf16>(Products::portable);
  });
}

TEST(ShiftedProducts, AreWhatTheyShouldBeInBf16WithProductsOfPairs) {
  if (!may_use_bf16_pairs())
    GTEST_SKIP() << "not checked: products of pairs of bf16 against plain products; to check: run "
                    "on a CPU with avx512_bf16 and without AMX, without GPSCL_SIMD";
  expect_products<Bf16>(Products::best, 0x1p-8);
  expect_outer_products<Bf16>(Products::best);
}

TEST(ShiftedProducts, AreWhatTheyShouldBeInBf16WithMatrixTiles) {
  if (!amx::available())
    GTEST_SKIP()
        << "not checked: AMX tiles against plain products; to check: run on a CPU with AMX "
           "(Intel Sapphire Rapids or later) whose system allows it";
  expect_products<Bf16>(Products::best, 0x1p-8);
  expect_outer_products<Bf16>(Products::best);
}

}  // namespace shifted_products_test
}  // namespace gps
