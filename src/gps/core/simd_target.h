// The instruction set of our own kernels: the best one that the CPU has and this build supports. If
// $GPSCL_SIMD names an instruction set, it is at most that one. The variable is read once, when the
// program starts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gps {

// Returns for example "AVX2", or "AVX3+AMX" with the CPU's matrix tiles, or "AVX3+BF16" with its
// products of pairs of bf16. Throws UsageError if
// $GPSCL_SIMD is not an instruction set of this build, or one that the CPU lacks. Every network of
// our own calls this first.
std::string simd_target();

// Returns whether kernels may use the CPU's matrix tiles (AMX): the CPU has them, the system lets
// this process use them, and $GPSCL_SIMD is not set. Tiles exceed every instruction set that the
// variable can name.
bool may_use_tiles();

// Returns whether kernels may use products of pairs of bf16 (avx512_bf16) where they have no matrix
// tiles: the CPU has them and not the tiles, and $GPSCL_SIMD is not set.
bool may_use_bf16_pairs();

// Returns the CPU's best instruction set, whatever $GPSCL_SIMD says. LibTorch uses this one.
std::string cpu_target();

// Returns those of the `available` targets (Highway's bits) that are no better than the target
// called `name`. The case of the name does not matter. Throws UsageError if `name` is not among
// them.
std::int64_t targets_up_to(std::string_view name, std::int64_t available);

}  // namespace gps
