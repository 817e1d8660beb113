#include "gps/core/simd_target.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>

#include "gps/core/build.h"
#include "gps/core/errors.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "gps/nn/mlp/fused_mlp_kernels.h"
#include "gps/nn/resnet18/amx_products.h"
#include "support/environment.h"

namespace gps {
namespace simd_target_test {

using testing::Environment;
using ::testing::HasSubstr;

#if HWY_ARCH_X86

constexpr std::int64_t kAll = HWY_AVX3 | HWY_AVX2 | HWY_SSE4 | HWY_SSSE3 | HWY_SCALAR;

TEST(SimdTarget, ALimitKeepsWhatIsNoBetter) {
  EXPECT_EQ(targets_up_to("avx3", kAll), kAll);
  EXPECT_EQ(targets_up_to("avx2", kAll), HWY_AVX2 | HWY_SSE4 | HWY_SSSE3 | HWY_SCALAR);
  EXPECT_EQ(targets_up_to("SSE4", kAll), HWY_SSE4 | HWY_SSSE3 | HWY_SCALAR);
  EXPECT_EQ(targets_up_to("scalar", kAll), HWY_SCALAR);
}

TEST(SimdTarget, ALimitThatIsUnknownOrThatTheCpuLacksIsRefusedInOneLine) {
  for (const char* name : {"avx9", "avx3", "", "avx2 "}) {
    try {
      targets_up_to(name, HWY_AVX2 | HWY_SSE4 | HWY_SCALAR);
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()),
                "GPSCL_SIMD must be one of avx2, sse4, scalar with this build on this CPU, got '" +
                    std::string(name) + "'");
    }
  }
}

#endif

// The variable is read when a process starts, so that each of these starts one of its own.
class SimdTargetOfAProcess : public ::testing::Test {
 protected:
  SimdTargetOfAProcess() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// What a process says of itself, on stderr.
[[noreturn]] void tell_targets() {
  const std::string kernel = kernels::target_name();  // before there is a network
  try {
    const FusedMlp network({4, 4, 2}, Initialisation::xavier, Rng(1));
    fmt::print(stderr, "kernels {}, named {}, tiles {}, pairs {}, build {}", kernel, simd_target(),
               amx::available(), may_use_bf16_pairs(), build_identity());
  } catch (const UsageError& error) {
    fmt::print(stderr, "refused: {}", error.what());
    std::exit(2);
  }
  std::exit(0);
}

TEST_F(SimdTargetOfAProcess, KernelsAndTheBuildsIdentityGoByTheVariable) {
  const std::string lowest = hwy::TargetName(HWY_STATIC_TARGET);  // which every CPU has
  const Environment limit("GPSCL_SIMD", lowest);
  EXPECT_EXIT(
      tell_targets(), ::testing::ExitedWithCode(0),
      fmt::format("kernels {0}, named {0}, tiles false, pairs false, build [^ ]+ {0} ", lowest));
}

TEST_F(SimdTargetOfAProcess, AWrongVariableStopsTheFirstNetwork) {
  const Environment limit("GPSCL_SIMD", "avx9");
  EXPECT_EXIT(tell_targets(), ::testing::ExitedWithCode(2),
              "refused: GPSCL_SIMD must be one of .*, got 'avx9'");
}

TEST_F(SimdTargetOfAProcess, AnEmptyVariableIsNone) {
  const Environment limit("GPSCL_SIMD", "");
  EXPECT_EXIT(tell_targets(), ::testing::ExitedWithCode(0), "kernels ");
}

TEST(SimdTarget, NamesTilesOrPairsButNotBoth) {
  EXPECT_EQ(may_use_tiles(), simd_target().ends_with("+AMX"));
  EXPECT_EQ(may_use_bf16_pairs(), simd_target().ends_with("+BF16"));
}

TEST(SimdTarget, TheBuildsIdentityNamesIt) {
  EXPECT_THAT(build_identity(), HasSubstr(" " + simd_target() + " "));
}

}  // namespace simd_target_test
}  // namespace gps
