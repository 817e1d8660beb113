// Every kernel on every instruction set of this CPU, against plain loops in double precision.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gps/nn/mlp/fused_mlp_kernels.h"
#include "nn/mlp/random_layer.h"
#include "nn/targets.h"

namespace gps {
namespace kernels_test {

using testing::for_each_target;
using testing::RandomLayer;

constexpr double kUnit = 0x1.0p-24;  // the relative error of one rounding to float

// A sum, and how far one of floats may be from it: a rounding for each addition, and a few for what
// goes into a product (a byte over 255, times a scale, times a weight).
struct Sum {
  double value = 0;
  double size = 0;
  double terms = 0;

  void add(double term) {
    value += term;
    size += std::abs(term);
    ++terms;
  }
  double tolerance() const { return (terms + 4) * kUnit * size; }
};

double input(const kernels::Inputs& in, std::size_t r, std::size_t k) {
  return in.bytes ? in.bytes[r][k] / 255.0 : in.floats[r * in.float_stride + k];
}

// Rows, inputs and outputs around the sizes of vectors (4, 8, 16), tiles (8 vectors) and masks
// (64).
constexpr std::array<std::array<std::size_t, 3>, 10> kSizes = {{{1, 1, 1},
                                                                {3, 7, 10},
                                                                {2, 8, 16},
                                                                {5, 17, 17},
                                                                {64, 40, 33},
                                                                {65, 64, 100},
                                                                {10, 65, 112},
                                                                {130, 100, 130},
                                                                {20, 784, 100},
                                                                {7, 129, 257}}};

template <typename Body>
void for_each_target_and_layer(const Body& body) {
  for_each_target([&] {
    for (const auto& [rows, inputs, outputs] : kSizes) {
      SCOPED_TRACE(::testing::Message() << rows << " x " << inputs << " -> " << outputs);
      const RandomLayer layer(rows, inputs, outputs);
      for (kernels::Inputs in : {layer.byte_inputs(), layer.float_inputs()}) {
        for (const float density : {0.0f, 1.0f}) {  // which path to take, whatever the inputs
          in.density = density;
          body(layer, in);
        }
      }
    }
  });
}

TEST(Kernels, RunOnEveryInstructionSetOfThisCpu) {
  const std::string chosen = kernels::target_name();
  const auto names = for_each_target([] {});
  EXPECT_THAT(names, ::testing::Contains(chosen));
#if HWY_ARCH_X86
  EXPECT_EQ(names.size(), hwy::SupportedAndGeneratedTargets().size());
#endif
}

TEST(Kernels, FindNonzeroMarksTheBytesThatAreNotZeroAndNoOthers) {
  for_each_target([] {
    for (const std::size_t inputs : {1u, 7u, 8u, 15u, 17u, 63u, 64u, 65u, 100u, 128u, 200u, 784u}) {
      const RandomLayer layer(3, inputs, 1);
      std::vector<std::uint64_t> found(layer.nonzero.size() + 2, ~std::uint64_t{0});
      kernels::find_nonzero(layer.byte_rows.data(), 3, inputs, found.data());
      EXPECT_EQ(found.back(), ~std::uint64_t{0}) << "wrote behind the spare word";
      found.resize(layer.nonzero.size());
      EXPECT_EQ(found, layer.nonzero) << inputs << " inputs";
    }
  });
}

TEST(Kernels, DensityIsTheShareOfBitsThatAreSet) {
  for_each_target([] {
    for (const std::size_t inputs : {1u, 63u, 64u, 65u, 100u, 784u}) {
      std::vector<std::uint64_t> mask(3 * mask_words(inputs) + 1, 0);
      EXPECT_EQ(kernels::density(mask.data(), 3, inputs), 0);
      kernels::fill_mask(3, inputs, mask.data());
      EXPECT_EQ(kernels::density(mask.data(), 3, inputs), 1);
      mask[0] &= ~std::uint64_t{1};
      EXPECT_FLOAT_EQ(kernels::density(mask.data(), 3, inputs),
                      1 - 1 / static_cast<float>(3 * inputs));
    }
  });
}

TEST(Kernels, GramsHoldAllInnerProducts) {
  for_each_target_and_layer([](const RandomLayer& layer, const kernels::Inputs& in) {
    const std::size_t others = (layer.rows + 1) / 2;
    std::vector<float> out(layer.rows * others);
    if (in.bytes != nullptr) {
      kernels::gram_bytes(layer.bytes.data(), layer.rows, layer.bytes.data(), others, layer.inputs,
                          out.data());
    } else {
      kernels::gram_floats(layer.floats.data(), layer.rows, layer.floats.data(), others,
                           in.float_stride, out.data());
    }
    for (std::size_t i = 0; i < layer.rows; ++i) {
      for (std::size_t j = 0; j < others; ++j) {
        Sum sum;
        for (std::size_t k = 0; k < layer.inputs; ++k) sum.add(input(in, i, k) * input(in, j, k));
        ASSERT_NEAR(out[i * others + j], sum.value, sum.tolerance()) << i << ", " << j;
      }
    }
  });
}

TEST(Kernels, AffineAddsWeightedInputsToTheBiases) {
  for_each_target_and_layer([](const RandomLayer& layer, const kernels::Inputs& in) {
    AlignedFloats out(layer.rows * layer.stride);
    kernels::affine(in, layer.weights.data(), layer.biases.data(), layer.stride, out.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t r = i / layer.stride;
      const std::size_t o = i % layer.stride;
      Sum sum;
      sum.add(layer.biases[o]);
      for (std::size_t k = 0; k < layer.inputs; ++k)
        sum.add(input(in, r, k) * layer.weights[k * layer.stride + o]);
      ASSERT_NEAR(out[i], sum.value, sum.tolerance()) << "row " << r << ", output " << o;
    }
  });
}

// However many rows are worked on together, each sum is added up in the order of its inputs.
TEST(Kernels, AffineGivesEachRowTheBitsThatItHasAlone) {
  for_each_target_and_layer([](const RandomLayer& layer, const kernels::Inputs& in) {
    AlignedFloats together(layer.rows * layer.stride);
    kernels::affine(in, layer.weights.data(), layer.biases.data(), layer.stride, together.data());
    for (std::size_t r = 0; r < layer.rows; ++r) {
      kernels::Inputs one = in;
      one.rows = 1;
      if (one.bytes != nullptr) one.bytes += r;
      if (one.floats != nullptr) one.floats += r * in.float_stride;
      one.nonzero += r * mask_words(layer.inputs);
      AlignedFloats alone(layer.stride);
      kernels::affine(one, layer.weights.data(), layer.biases.data(), layer.stride, alone.data());
      for (std::size_t o = 0; o < layer.stride; ++o)
        ASSERT_EQ(alone[o], together[r * layer.stride + o]) << "row " << r << ", output " << o;
    }
  });
}

TEST(Kernels, AddOuterProductsAddsInputsTimesErrors) {
  constexpr float kScale = -0.3f;
  for_each_target_and_layer([](const RandomLayer& layer, const kernels::Inputs& in) {
    AlignedFloats weights = layer.weights;
    AlignedFloats biases = layer.biases;
    kernels::add_outer_products(in, layer.errors.data(), layer.stride, kScale, weights.data(),
                                biases.data());
    for (std::size_t o = 0; o < layer.stride; ++o) {
      Sum sum;
      sum.add(layer.biases[o]);
      for (std::size_t r = 0; r < layer.rows; ++r)
        sum.add(double{kScale} * layer.errors[r * layer.stride + o]);
      ASSERT_NEAR(biases[o], sum.value, sum.tolerance()) << "bias " << o;
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::size_t k = i / layer.stride;
      const std::size_t o = i % layer.stride;
      Sum sum;
      sum.add(layer.weights[i]);
      for (std::size_t r = 0; r < layer.rows; ++r)
        sum.add(kScale * input(in, r, k) * layer.errors[r * layer.stride + o]);
      ASSERT_NEAR(weights[i], sum.value, sum.tolerance()) << "weight " << k << " to " << o;
    }
  });
}

TEST(Kernels, PropagateWeighsErrorsWhereTheInputIsNotZero) {
  for_each_target_and_layer([](const RandomLayer& layer, const kernels::Inputs& in) {
    if (in.floats == nullptr) return;  // nothing is propagated into images
    AlignedFloats in_errors(layer.floats.size());
    for (std::size_t i = 0; i < in_errors.size(); ++i) in_errors[i] = 99;  // of the step before
    kernels::propagate(in, layer.errors.data(), layer.weights.data(), layer.stride,
                       in_errors.data());
    for (std::size_t i = 0; i < in_errors.size(); ++i) {
      const std::size_t r = i / in.float_stride;
      const std::size_t k = i % in.float_stride;
      Sum sum;
      for (std::size_t o = 0; o < layer.stride && layer.floats[i] != 0; ++o)
        sum.add(double{layer.weights[k * layer.stride + o]} * layer.errors[r * layer.stride + o]);
      ASSERT_NEAR(in_errors[i], sum.value, sum.tolerance()) << "row " << r << ", input " << k;
    }
  });
}

TEST(Kernels, ReluKeepsWhatIsPositiveAndMarksIt) {
  for_each_target([] {
    for (const std::size_t units : {1u, 7u, 16u, 17u, 33u, 63u, 64u, 65u, 100u, 130u}) {
      RandomLayer layer(3, 1, units);
      layer.errors[0] = -0.0f;
      AlignedFloats values = layer.errors;
      std::vector<std::uint64_t> nonzero(3 * mask_words(units), ~std::uint64_t{0});
      kernels::relu(values.data(), 3, units, layer.stride, nonzero.data());
      std::vector<std::uint64_t> expected(nonzero.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t o = i % layer.stride;
        EXPECT_EQ(values[i], std::max(layer.errors[i], 0.0f)) << units << " units, " << i;
        if (values[i] > 0)
          expected[i / layer.stride * mask_words(units) + o / 64] |= std::uint64_t{1} << (o % 64);
      }
      EXPECT_EQ(nonzero, expected) << units << " units";
    }
  });
}

}  // namespace kernels_test
}  // namespace gps
