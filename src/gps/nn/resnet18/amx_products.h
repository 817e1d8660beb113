// Implements shifted_products.h with the matrix tiles of recent Intel CPUs (AMX, bf16). A tile is
// 16 rows of 64 bytes, and one instruction multiplies 16 x 32 by 32 x 16 values. The second factor
// has pairs of rows interleaved: [inputs / 2][outputs][2].
#pragma once

#include <cstddef>

#include "gps/nn/resnet18/shifted_products.h"

namespace gps::amx {

// Returns may_use_tiles() on machines for which this file has code; otherwise false.
bool available();

void pack(const float* weights, const WeightShape& shape, Bf16* packed);
void pack_transposed(const float* weights, const WeightShape& shape, Bf16* packed);
void products(const Tap<Bf16>* taps, std::size_t count, std::size_t positions, std::size_t inputs,
              std::size_t outputs, Bf16* out);
void add_outer_products(const GradientTap<Bf16>* taps, std::size_t count, std::size_t positions,
                        std::size_t inputs, std::size_t outputs, const Bf16* errors, float scale,
                        AlignedFloats& scratch);

}  // namespace gps::amx
