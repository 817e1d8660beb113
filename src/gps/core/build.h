// Identifies the build. Two programs agree to the bit if they are the same build and use the same
// instruction set.
#pragma once

#include <string>

namespace gps {

// Returns for example "0.1.0 AVX2 3f2a…": the version, the instruction set of our kernels
// (simd_target()), and the linker's build id of the program or shared library that holds this code,
// or the compiler version if there is no build id.
std::string build_identity();

}  // namespace gps
