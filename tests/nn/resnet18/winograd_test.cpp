#include "gps/nn/resnet18/winograd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "gps/core/rng.h"
#include "gps/core/simd_target.h"
#include "nn/targets.h"

namespace gps {
namespace winograd_test {

constexpr double kFloat = 0x1p-24;  // relative error of one rounding
constexpr double kBf16 = 0x1p-9;

// The matrices of the method without signs, which bound the values that they make.
using Matrix = std::vector<std::vector<double>>;

// Returns where the k-th cell of a square matrix is, row after row.
template <typename Square>
auto& cell(Square& matrix, int k) {
  const auto at = static_cast<std::size_t>(k);
  return matrix[at / matrix.size()][at % matrix.size()];
}
const Matrix kWindow = {{1, 0, 1, 0}, {0, 1, 1, 0}, {0, 1, 1, 0}, {0, 1, 0, 1}};
const Matrix kKernel = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0, 0, 1}};
const Matrix kOutputs = {{1, 1, 1, 0}, {0, 1, 1, 1}};

Matrix turned(const Matrix& m) {
  Matrix t(m[0].size(), std::vector<double>(m.size()));
  for (std::size_t r = 0; r < m.size(); ++r)
    for (std::size_t c = 0; c < m[0].size(); ++c) t[c][r] = m[r][c];
  return t;
}
Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t r = 0; r < a.size(); ++r)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[0].size(); ++j) c[r][j] += a[r][k] * b[k][j];
  return c;
}
// m x mᵀ
Matrix transformed(const Matrix& m, const Matrix& x) { return product(product(m, x), turned(m)); }

template <typename T>
class Problem {
 public:
  Problem(ImageGrid of, std::size_t images, std::size_t inputs, std::size_t outputs)
      : grid(of),
        shape{of, images, {9, whole_panels(inputs), whole_panels(outputs)}, inputs, outputs},
        in(of, shape.weights.inputs, images),
        errors(of, shape.weights.outputs, images),
        weights(shape.weights.size()) {
    Rng draw(1);
    const auto value = [&] { return static_cast<float>(2 * draw.uniform() - 1); };
    for (std::size_t n = 0; n < images; ++n) {
      for (int y = 0; y < height(); ++y) {
        for (int x = 0; x < width(); ++x) {
          for (std::size_t i = 0; i < inputs; ++i)
            in.data()[at(n, y, x, channels_in(), i)] = rounded_to<T>(value());
          for (std::size_t o = 0; o < outputs; ++o)
            errors.data()[at(n, y, x, channels_out(), o)] = rounded_to<T>(value());
        }
      }
    }
    for (std::size_t t = 0; t < 9; ++t)
      for (std::size_t i = 0; i < inputs; ++i)
        for (std::size_t o = 0; o < outputs; ++o) weights[place(t, i, o)] = value();
  }

  int height() const { return static_cast<int>(grid.height); }
  int width() const { return static_cast<int>(grid.width); }
  std::size_t channels_in() const { return shape.weights.inputs; }
  std::size_t channels_out() const { return shape.weights.outputs; }
  std::size_t at(std::size_t n, int y, int x, std::size_t channels, std::size_t c) const {
    return grid.position(n, static_cast<std::size_t>(y), static_cast<std::size_t>(x)) * channels +
           c;
  }
  std::size_t place(std::size_t t, std::size_t i, std::size_t o) const {
    return t * shape.weights.tap_size() + o / kPanel * kPanel * channels_in() + i * kPanel +
           o % kPanel;
  }
  // The value at a pixel, or zero around the image.
  double input(std::size_t n, int y, int x, std::size_t i) const {
    return has(y, x) ? number(in.data()[at(n, y, x, channels_in(), i)]) : 0;
  }
  double error(std::size_t n, int y, int x, std::size_t o) const {
    return has(y, x) ? number(errors.data()[at(n, y, x, channels_out(), o)]) : 0;
  }
  double weight(std::size_t t, std::size_t i, std::size_t o) const {
    return static_cast<double>(weights[place(t, i, o)]);
  }
  static double number(T value) { return static_cast<double>(to_float(value)); }

  const ImageGrid grid;
  const WinogradShape shape;
  PixelBuffer<T> in;
  PixelBuffer<T> errors;
  AlignedFloats weights;
  AlignedFloats scratch;

 private:
  bool has(int y, int x) const { return y >= 0 && x >= 0 && y < height() && x < width(); }
};

// Compares outputs with sums over taps. source(n, y, x, c) are the inputs, kernel(t, c, out) the
// weights, and `factor` bounds the relative error of the products.
template <typename Source, typename Kernel, typename Output>
void expect_outputs(const WinogradShape& shape, std::size_t depth, std::size_t width, double factor,
                    double output_rounding, const Source& source, const Kernel& kernel,
                    const Output& output) {
  const auto height = static_cast<int>(shape.grid.height);
  const auto across = static_cast<int>(shape.grid.width);
  for (std::size_t n = 0; n < shape.images; ++n) {
    for (std::size_t o = 0; o < width; o += 7) {
      for (int y = 0; y < height; y += 2) {
        for (int x = 0; x < across; x += 2) {
          Matrix sums(4, std::vector<double>(4));
          std::array<double, 4> wanted{};
          for (std::size_t c = 0; c < depth; ++c) {
            Matrix d(4, std::vector<double>(4));
            Matrix g(3, std::vector<double>(3));
            for (int k = 0; k < 16; ++k)
              cell(d, k) = std::abs(source(n, y - 1 + k / 4, x - 1 + k % 4, c));
            for (std::size_t t = 0; t < 9; ++t) g[t / 3][t % 3] = std::abs(kernel(t, c, o));
            const Matrix v = transformed(kWindow, d);
            const Matrix u = transformed(kKernel, g);
            for (std::size_t k = 0; k < 16; ++k)
              sums[k / 4][k % 4] += u[k / 4][k % 4] * v[k / 4][k % 4];
            for (int k = 0; k < 4; ++k)
              for (int t = 0; t < 9; ++t)
                wanted[static_cast<std::size_t>(k)] +=
                    kernel(static_cast<std::size_t>(t), c, o) *
                    source(n, y + k / 2 + t / 3 - 1, x + k % 2 + t % 3 - 1, c);
          }
          const Matrix bounds = transformed(kOutputs, sums);
          for (int k = 0; k < 4; ++k) {
            if (y + k / 2 >= height || x + k % 2 >= across) continue;
            const double want = wanted[static_cast<std::size_t>(k)];
            ASSERT_NEAR(output(n, y + k / 2, x + k % 2, o), want,
                        factor * cell(bounds, k) + output_rounding * std::abs(want))
                << "image " << n << ", pixel " << y + k / 2 << ", " << x + k % 2 << ", channel "
                << o;
          }
        }
      }
    }
  }
}

// The number of roundings of a sum of so many products, and of the transforms around it.
double roundings(std::size_t terms) { return static_cast<double>(terms) + 20; }

template <typename T>
void expect_products(Problem<T> p, Products how, double of_factors) {
  const double of_output = std::is_same_v<T, Bf16> ? 2 * kBf16 : 0;  // 2: of the inexact value
  PixelBuffer<T> out(p.grid, p.channels_out(), p.shape.images);
  winograd_products<T>(p.shape, p.in.data(), p.weights.data(), out.data(), p.scratch, how);
  expect_outputs(
      p.shape, p.shape.inputs, p.shape.outputs, of_factors + roundings(p.shape.inputs) * kFloat,
      of_output, [&](auto n, auto y, auto x, auto c) { return p.input(n, y, x, c); },
      [&](auto t, auto i, auto o) { return p.weight(t, i, o); },
      [&](auto n, auto y, auto x, auto o) {
        return p.number(out.data()[p.at(n, y, x, p.channels_out(), o)]);
      });
  PixelBuffer<T> back(p.grid, p.channels_in(), p.shape.images);
  winograd_back_products<T>(p.shape, p.errors.data(), p.weights.data(), back.data(), p.scratch,
                            how);
  expect_outputs(
      p.shape, p.shape.outputs, p.shape.inputs, of_factors + roundings(p.shape.outputs) * kFloat,
      of_output, [&](auto n, auto y, auto x, auto c) { return p.error(n, y, x, c); },
      [&](auto t, auto o, auto i) { return p.weight(8 - t, i, o); },
      [&](auto n, auto y, auto x, auto i) {
        return p.number(back.data()[p.at(n, y, x, p.channels_in(), i)]);
      });
}

template <typename T>
void expect_gradient(Problem<T> p, Products how, double of_factors) {
  AlignedFloats gradient = p.weights;
  add_winograd_gradient<T>(p.shape, p.in.data(), p.errors.data(), 0.5f, gradient.data(), p.scratch,
                           how);
  std::size_t tiles = 0;
  for (std::size_t i = 0; i < p.shape.inputs; i += 5) {
    for (std::size_t o = 0; o < p.shape.outputs; o += 7) {
      Matrix sums(4, std::vector<double>(4));
      std::array<double, 9> wanted{};
      tiles = 0;
      for (std::size_t n = 0; n < p.shape.images; ++n) {
        for (int y = 0; y < p.height(); y += 2) {
          for (int x = 0; x < p.width(); x += 2, ++tiles) {
            Matrix d(4, std::vector<double>(4));
            Matrix e(2, std::vector<double>(2));
            for (int k = 0; k < 16; ++k)
              cell(d, k) = std::abs(p.input(n, y - 1 + k / 4, x - 1 + k % 4, i));
            for (int k = 0; k < 4; ++k) cell(e, k) = std::abs(p.error(n, y + k / 2, x + k % 2, o));
            const Matrix v = transformed(kWindow, d);
            const Matrix u = transformed(turned(kOutputs), e);
            for (std::size_t k = 0; k < 16; ++k)
              sums[k / 4][k % 4] += u[k / 4][k % 4] * v[k / 4][k % 4];
          }
        }
        for (int y = 0; y < p.height(); ++y)
          for (int x = 0; x < p.width(); ++x)
            for (int t = 0; t < 9; ++t)
              wanted[static_cast<std::size_t>(t)] +=
                  p.input(n, y + t / 3 - 1, x + t % 3 - 1, i) * p.error(n, y, x, o);
      }
      const Matrix bounds = transformed(turned(kKernel), sums);
      for (std::size_t t = 0; t < 9; ++t) {
        const double before = p.weight(t, i, o);
        ASSERT_NEAR(static_cast<double>(gradient[p.place(t, i, o)]), before + 0.5 * wanted[t],
                    0.5 * (of_factors + roundings(tiles) * kFloat) * bounds[t / 3][t % 3] +
                        2 * kFloat * std::abs(before))
            << "tap " << t << ", input " << i << ", output " << o;
      }
    }
  }
  // Padding stays zero.
  for (std::size_t t = 0; t < 9; ++t) {
    for (std::size_t i = 0; i < p.channels_in(); ++i)
      for (std::size_t o = 0; o < p.channels_out(); ++o) {
        if (i >= p.shape.inputs || o >= p.shape.outputs) {
          ASSERT_EQ(gradient[p.place(t, i, o)], 0);
        }
      }
  }
}

// Few tiles, and more than are transformed at a time; even and odd sides; channels with and without
// padding.
template <typename T>
void expect_all(Products how, double of_factors) {
  for (const auto& [grid, images] : {std::pair(ImageGrid{4, 4}, 3), std::pair(ImageGrid{7, 5}, 2),
                                     std::pair(ImageGrid{13, 12}, 3)}) {
    SCOPED_TRACE(::testing::Message() << grid.height << " x " << grid.width);
    for (const auto& [inputs, outputs] : {std::pair(5, 37), std::pair(64, 32)}) {
      const Problem<T> problem(grid, static_cast<std::size_t>(images),
                               static_cast<std::size_t>(inputs), static_cast<std::size_t>(outputs));
      expect_products<T>(problem, how, of_factors);
      expect_gradient<T>(problem, how, of_factors);
    }
  }
}

TEST(Winograd, IsTheConvolutionInFloat) {
  gps::testing::for_each_target([] { expect_all<float>(Products::best, 0); });
}

TEST(Winograd, IsTheConvolutionInBf16OnAnyCpu) {
  gps::testing::for_each_target([] { expect_all<Bf16>(Products::portable, 0); });
}

TEST(Winograd, IsTheConvolutionInBf16WithProductsOfPairs) {
  if (!may_use_bf16_pairs())
    GTEST_SKIP() << "not checked: products of pairs of bf16 against plain products; to check: run "
                    "on a CPU with avx512_bf16 and without AMX, without GPSCL_SIMD";
  expect_all<Bf16>(Products::best, 2 * kBf16 + kBf16 * kBf16);
}

TEST(Winograd, DoesNotDependOnTheOtherImagesOfTheBatch) {
  gps::testing::for_each_target([] {
    Problem<float> all({13, 12}, 5, 40, 20);
    PixelBuffer<float> out(all.grid, all.channels_out(), 5);
    winograd_products<float>(all.shape, all.in.data(), all.weights.data(), out.data(), all.scratch);
    WinogradShape one = all.shape;
    one.images = 1;
    PixelBuffer<float> alone(all.grid, all.channels_out(), 1);
    const std::size_t fourth = 3 * all.grid.area();
    winograd_products<float>(one, all.in.data() + fourth * all.channels_in(), all.weights.data(),
                             alone.data(), all.scratch);
    for (std::size_t k = 0; k < all.grid.area() * all.channels_out(); ++k)
      ASSERT_EQ(out.data()[fourth * all.channels_out() + k], alone.data()[k]);
  });
}

}  // namespace winograd_test
}  // namespace gps
