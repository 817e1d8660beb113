// The yardstick: how fast this core multiplies and adds when nothing else is in the way.
#pragma once

#include <cstddef>

namespace gps::bench {

// `rounds` multiply-adds on each lane of many independent vectors that live in registers, with the
// instruction set that the library's kernels use. Returns the floating-point operations done.
double multiply_add(std::size_t rounds);

// The instruction set in use.
const char* multiply_add_target();

}  // namespace gps::bench
