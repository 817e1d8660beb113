// The loss kernel on every instruction set of this CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gps/core/rng.h"
#include "gps/nn/mlp/fused_mlp_kernels.h"
#include "nn/targets.h"

namespace gps {
namespace cross_entropy_test {

using testing::for_each_target;

AlignedFloats row(const std::vector<float>& values, float padding = 0) {
  AlignedFloats result(padded(values.size()));
  for (std::size_t c = 0; c < result.size(); ++c)
    result[c] = c < values.size() ? values[c] : padding;
  return result;
}

// Softmax of (0, ln 3) is (1/4, 3/4); the loss of class 0 is ln 4. Floats are good to 1e-7, their
// exponentials to a few of that.
TEST(CrossEntropy, OfTwoClassesIsAsComputedByHand) {
  for_each_target([] {
    const AlignedFloats logits = row({0, std::log(3.0f)});
    AlignedFloats errors = row({10, 20});
    const float loss = kernels::cross_entropy(logits.data(), 2, padded(2), 0, 2.0f, errors.data());
    EXPECT_NEAR(loss, std::log(4.0), 1e-6);
    EXPECT_NEAR(errors[0], 10 + 2 * (0.25 - 1), 4e-6);
    EXPECT_NEAR(errors[1], 20 + 2 * 0.75, 4e-6);
  });
}

// An exponential is good to a few units in the last place (2^-24), the sum of C of them to C more.
// The loss is a difference of numbers up to 20.
TEST(CrossEntropy, AgreesWithDoublePrecision) {
  for_each_target([] {
    Rng rng(2);
    for (const std::size_t classes : {1u, 2u, 7u, 10u, 16u, 17u, 100u, 257u}) {
      AlignedFloats logits(padded(classes));
      for (std::size_t c = 0; c < classes; ++c)
        logits[c] = static_cast<float>(20 * rng.uniform() - 10);
      double sum = 0;
      for (std::size_t c = 0; c < classes; ++c) sum += std::exp(double{logits[c]});
      const std::size_t label = rng.index(classes);
      AlignedFloats errors(padded(classes));
      const float loss = kernels::cross_entropy(logits.data(), classes, padded(classes), label,
                                                0.5f, errors.data());
      const double expected = std::log(sum) - logits[label];
      const double tolerance = (static_cast<double>(classes) + 16) * 0x1.0p-24;
      EXPECT_NEAR(loss, expected, tolerance * (1 + 20 + expected)) << classes << " classes";
      for (std::size_t c = 0; c < classes; ++c) {
        const double target = c == label ? 1 : 0;
        EXPECT_NEAR(errors[c], 0.5 * (std::exp(double{logits[c]}) / sum - target), tolerance)
            << "class " << c << " of " << classes;
      }
    }
  });
}

TEST(CrossEntropy, HoldsForLogitsWhoseExponentialsDoNotFitAFloat) {
  for_each_target([] {
    for (const float shift : {0.0f, 1000.0f, -1000.0f}) {
      const AlignedFloats logits = row({shift + 500, shift, shift + 500});
      AlignedFloats errors = row({0, 0, 0});
      EXPECT_NEAR(kernels::cross_entropy(logits.data(), 3, padded(3), 1, 1.0f, errors.data()),
                  500 + std::log(2.0), 1e-4);
      EXPECT_NEAR(errors[0], 0.5, 1e-6);
      EXPECT_NEAR(errors[1], -1, 1e-6);
      EXPECT_NEAR(errors[2], 0.5, 1e-6);
    }
  });
}

TEST(CrossEntropy, NeitherReadsNorWritesThePadding) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kHuge = 1e30f;
  for_each_target([] {
    for (const std::size_t classes : {1u, 3u, 10u, 15u, 17u, 33u}) {
      const std::vector<float> zeros(classes, 0.0f);
      for (const float junk : {kNan, kHuge, -kHuge}) {
        const AlignedFloats logits = row(zeros, junk);
        AlignedFloats errors = row(zeros, 7);
        EXPECT_NEAR(
            kernels::cross_entropy(logits.data(), classes, padded(classes), 0, 1.0f, errors.data()),
            std::log(static_cast<double>(classes)), 1e-5);
        for (std::size_t c = classes; c < errors.size(); ++c) EXPECT_EQ(errors[c], 7) << c;
        EXPECT_NEAR(errors[0], 1.0 / static_cast<double>(classes) - 1, 1e-5);
      }
    }
  });
}

}  // namespace cross_entropy_test
}  // namespace gps
