// A layer with random inputs, weights and errors, laid out as the kernels want it.
#pragma once

#include <cstdint>
#include <vector>

#include "gps/core/rng.h"
#include "gps/nn/mlp/fused_mlp_kernels.h"

namespace gps::testing {

struct RandomLayer {
  RandomLayer(std::size_t layer_rows, std::size_t layer_inputs, std::size_t units)
      : rows(layer_rows),
        inputs(layer_inputs),
        stride(padded(units)),
        bytes(rows * inputs),
        floats(rows * padded(inputs)),
        nonzero(rows * mask_words(inputs)),
        weights(random(inputs, units)),
        biases(random(1, units)),
        errors(random(rows, units)) {
    for (std::size_t r = 0; r < rows; ++r) {
      byte_rows.push_back(bytes.data() + r * inputs);
      for (std::size_t k = 0; k < inputs; ++k) {
        if (rng.index(2) == 0) continue;
        bytes[r * inputs + k] = static_cast<std::uint8_t>(1 + rng.index(255));
        floats[r * padded(inputs) + k] = static_cast<float>(0.01 + rng.uniform());
        nonzero[r * mask_words(inputs) + k / 64] |= std::uint64_t{1} << (k % 64);
      }
    }
  }
  RandomLayer(const RandomLayer&) = delete;
  RandomLayer& operator=(const RandomLayer&) = delete;

  kernels::Inputs byte_inputs() const {
    return {.bytes = byte_rows.data(),
            .floats = nullptr,
            .float_stride = 0,
            .nonzero = nonzero.data(),
            .rows = rows,
            .inputs = inputs};
  }
  kernels::Inputs float_inputs() const {
    return {.bytes = nullptr,
            .floats = floats.data(),
            .float_stride = padded(inputs),
            .nonzero = nonzero.data(),
            .rows = rows,
            .inputs = inputs};
  }

  // `count` rows of `units` random numbers, padded with zeros.
  AlignedFloats random(std::size_t count, std::size_t units) {
    AlignedFloats values(count * padded(units));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % padded(units) < units) values[i] = static_cast<float>(2 * rng.uniform() - 1);
    }
    return values;
  }

  Rng rng{1};
  std::size_t rows;
  std::size_t inputs;
  std::size_t stride;
  std::vector<std::uint8_t> bytes;
  std::vector<const std::uint8_t*> byte_rows;
  AlignedFloats floats;                // zero where `bytes` are, and nowhere else
  std::vector<std::uint64_t> nonzero;  // of either
  AlignedFloats weights;
  AlignedFloats biases;
  AlignedFloats errors;
};

}  // namespace gps::testing
