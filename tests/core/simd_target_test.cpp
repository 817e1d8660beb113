#include "gps/core/simd_target.h"

#include <gmock/gmock.h>
#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>

#include "gps/core/build.h"
#include "gps/core/errors.h"
#include "gps/nn/amx_products.h"
#include "gps/nn/fused_mlp.h"
#include "gps/nn/fused_mlp_kernels.h"

namespace gps {
namespace {

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

// The variable is read once in a process, so that each of these has one of its own.
class SimdTargetOfAProcess : public ::testing::Test {
 protected:
  // Runs this test again in a process of its own, up to here.
  SimdTargetOfAProcess() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// What a process says of itself under $GPSCL_SIMD, on stderr.
[[noreturn]] void tell_targets(const char* limit) {
  setenv("GPSCL_SIMD", limit, /*overwrite=*/1);
  try {
    const FusedMlp network({4, 4, 2}, Initialisation::xavier, Rng(1));
    std::fprintf(stderr, "kernels %s, named %s, tiles %d, build %s", kernels::target_name(),
                 simd_target().c_str(), amx::available() ? 1 : 0, build_identity().c_str());
  } catch (const UsageError& error) {
    std::fprintf(stderr, "refused: %s", error.what());
    std::exit(2);
  }
  std::exit(0);
}

TEST_F(SimdTargetOfAProcess, KernelsAndTheBuildsIdentityGoByTheVariable) {
  if ((hwy::SupportedTargets() & HWY_SSSE3) == 0)
    GTEST_SKIP() << "not checked: $GPSCL_SIMD=ssse3; to check: run it on a CPU with SSSE3";
  EXPECT_EXIT(tell_targets("ssse3"), ::testing::ExitedWithCode(0),
              "kernels SSSE3, named SSSE3, tiles 0, build [^ ]+ SSSE3 ");
  EXPECT_EXIT(tell_targets("SCALAR"), ::testing::ExitedWithCode(0),
              "kernels SCALAR, named SCALAR, tiles 0, build [^ ]+ SCALAR ");
}

TEST_F(SimdTargetOfAProcess, AWrongVariableStopsTheFirstNetwork) {
  EXPECT_EXIT(tell_targets("avx9"), ::testing::ExitedWithCode(2),
              "refused: GPSCL_SIMD must be one of .*scalar.*, got 'avx9'");
}

TEST_F(SimdTargetOfAProcess, AnEmptyVariableIsNone) {
  EXPECT_EXIT(tell_targets(""), ::testing::ExitedWithCode(0), "^kernels ");
}

#endif

TEST(SimdTarget, TheBuildsIdentityNamesIt) {
  EXPECT_THAT(build_identity(), HasSubstr(" " + simd_target() + " "));
}

}  // namespace
}  // namespace gps
