// The instruction set of our own kernels: the best one that the CPU has and this build knows, or,
// where $GPSCL_SIMD names one, at most that. The variable is read once, when the program starts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gps {

// "AVX2", or "AVX3+AMX" with the CPU's matrix tiles. Throws UsageError if $GPSCL_SIMD is none of
// this build's instruction sets, or one that the CPU lacks; every network of our own asks first.
std::string simd_target();

// May kernels use the CPU's matrix tiles (AMX)? Where it has them, the system lets this process use
// them, and $GPSCL_SIMD is not set: tiles are more than anything that it names.
bool may_use_tiles();

// The best instruction set of the CPU itself, whatever $GPSCL_SIMD says: what LibTorch goes by.
std::string cpu_target();

// Those of `available`, Highway's bits, that are no better than the one of this name, whatever its
// case. Throws UsageError if that is not among them.
std::int64_t targets_up_to(std::string_view name, std::int64_t available);

}  // namespace gps
