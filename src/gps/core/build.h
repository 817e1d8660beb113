// Which build this is. Two programs agree to the bit if they are the same build and use the same
// instruction set.
#pragma once

#include <string>

namespace gps {

// "0.1.0 AVX2 3f2a…": version, instruction set of our kernels (simd_target()), and the linker's
// build id of the program or shared library that holds this code; where there is none, the
// compiler.
std::string build_identity();

}  // namespace gps
