// The reference for the roofline: the highest rate of multiply-adds on this core.
#pragma once

#include <cstddef>

namespace gps::bench {

// Does `rounds` multiply-adds on each lane of several independent vectors that stay in registers,
// with the instruction set of the library's kernels. Returns the number of floating-point
// operations.
double multiply_add(std::size_t rounds);

// Returns the name of the instruction set in use.
const char* multiply_add_target();

}  // namespace gps::bench
