// The inner loops of FusedMlp, with one implementation for every instruction set that the CPU may
// have (Highway's dynamic dispatch), in mlp_forward.cpp, mlp_backward.cpp, mlp_loss.cpp and
// mlp_gram.cpp. All matrices are row-major and aligned as AlignedFloats, with rows padded to a
// multiple of kLane floats.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gps/nn/aligned_floats.h"

namespace gps {

inline constexpr std::size_t kWordBits = 64;  // inputs per word of a nonzero mask

constexpr std::size_t mask_words(std::size_t inputs) {
  return (inputs + kWordBits - 1) / kWordBits;
}

namespace kernels {

// The inputs of a layer for a batch: bytes (value/255) for the first layer, floats for the others.
// Exactly one of the two is set. `nonzero` has mask_words(inputs) words per row; bit k of a row's
// mask says that input k is not zero.
struct Inputs {
  const std::uint8_t* const* bytes = nullptr;
  const float* floats = nullptr;
  std::size_t float_stride = 0;
  const std::uint64_t* nonzero = nullptr;
  std::size_t rows = 0;
  std::size_t inputs = 0;
  float density = 0;  // measured share of inputs that are not zero; selects the path
};

// Above these densities a kernel processes all inputs, several rows at a time; below, it visits
// only those that are not zero. At these values both cost the same (measured in bench/, `path/…`).
inline constexpr float kDenseAffine = 0.75f;
inline constexpr float kDenseUpdate = 0.4f;

// Sets the masks of rows of bytes. REQUIRES: one spare word after the last row's mask.
void find_nonzero(const std::uint8_t* const* rows, std::size_t count, std::size_t inputs,
                  std::uint64_t* nonzero);

// Sets masks that mark all inputs as not zero. REQUIRES: likewise.
void fill_mask(std::size_t rows, std::size_t inputs, std::uint64_t* nonzero);

// Returns the share of bits that are set.
float density(const std::uint64_t* nonzero, std::size_t rows, std::size_t inputs);

// out[r] = biases + Σ_k in[r][k] · weights[k]
void affine(const Inputs& in, const float* weights, const float* biases, std::size_t stride,
            float* out);

// values = max(values, 0) over rows of `units` (padded to `stride`). Sets the masks of the results.
void relu(float* values, std::size_t rows, std::size_t units, std::size_t stride,
          std::uint64_t* nonzero);

// weights[k] += scale · Σ_r in[r][k] · errors[r],   biases += scale · Σ_r errors[r]
void add_outer_products(const Inputs& in, const float* errors, std::size_t stride, float scale,
                        float* weights, float* biases);

// in_errors[r][k] = weights[k] · errors[r] where in[r][k] is not zero, else 0 (the derivative of
// ReLU).
void propagate(const Inputs& in, const float* errors, const float* weights, std::size_t stride,
               float* in_errors);

// Softmax and cross entropy of one row: returns -log softmax(logits)[label] and adds weight ·
// (softmax − one-hot) to `errors`. Lanes beyond `classes` are ignored and not changed.
float cross_entropy(const float* logits, std::size_t classes, std::size_t stride, std::size_t label,
                    float weight, float* errors);

// out[i][j] = <a_i, b_j> over rows of bytes (value/255), or over padded rows of floats.
void gram_bytes(const std::uint8_t* a, std::size_t a_rows, const std::uint8_t* b,
                std::size_t b_rows, std::size_t inputs, float* out);
void gram_floats(const float* a, std::size_t a_rows, const float* b, std::size_t b_rows,
                 std::size_t stride, float* out);

// Returns the name of the instruction set in use, for benchmarks and bug reports.
const char* target_name();

}  // namespace kernels
}  // namespace gps
