// The inner loops of FusedMlp, one implementation for every instruction set that the CPU may have
// (Highway's dynamic dispatch). All matrices are row-major with rows padded to a multiple of kLane
// floats and aligned to kAlignment bytes.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace gps {

inline constexpr std::size_t kLane = 16;      // floats in the widest vector there is
inline constexpr std::size_t kWordBits = 64;  // inputs to a word of a nonzero mask

constexpr std::size_t padded(std::size_t n) { return (n + kLane - 1) / kLane * kLane; }
constexpr std::size_t mask_words(std::size_t inputs) {
  return (inputs + kWordBits - 1) / kWordBits;
}

// An array of floats, aligned for vectors, zero at first, copied by value.
class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(std::size_t size) : size_(size) {
    if (size > 0) data_ = hwy::AllocateAligned<float>(size);
    if (size > 0 && data_ == nullptr) throw std::bad_alloc();
    clear();
  }
  AlignedFloats(const AlignedFloats& other) : AlignedFloats(other.size_) {
    if (size_ > 0) std::memcpy(data(), other.data(), size_ * sizeof(float));
  }
  AlignedFloats(AlignedFloats&& other) noexcept
      : size_(std::exchange(other.size_, 0)), data_(std::move(other.data_)) {}
  AlignedFloats& operator=(AlignedFloats other) noexcept {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~AlignedFloats() = default;

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  float& operator[](std::size_t i) { return data_[i]; }
  float operator[](std::size_t i) const { return data_[i]; }
  void clear() {
    if (size_ > 0) std::memset(data(), 0, size_ * sizeof(float));
  }

 private:
  std::size_t size_ = 0;
  hwy::AlignedFreeUniquePtr<float[]> data_;
};

namespace kernels {

// The inputs of a layer for a batch: bytes (value/255) for the first layer, floats for the others.
// Exactly one of the two is set. `nonzero` has mask_words(inputs) words a row; bit k of a row's
// mask says that input k is not zero.
struct Inputs {
  const std::uint8_t* const* bytes = nullptr;
  const float* floats = nullptr;
  std::size_t float_stride = 0;
  const std::uint64_t* nonzero = nullptr;
  std::size_t rows = 0;
  std::size_t inputs = 0;
};

// Sets the masks of rows of bytes. REQUIRES: one spare word behind the last row's mask.
void find_nonzero(const std::uint8_t* const* rows, std::size_t count, std::size_t inputs,
                  std::uint64_t* nonzero);

// out[r] = biases + Σ_k in[r][k] · weights[k]
void affine(const Inputs& in, const float* weights, const float* biases, std::size_t stride,
            float* out);

// values = max(values, 0) over rows of `units` (padded to `stride`), and the masks of what is left.
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
// (softmax − one-hot) to `errors`. Lanes beyond `classes` are ignored and left alone.
float cross_entropy(const float* logits, std::size_t classes, std::size_t stride, std::size_t label,
                    float weight, float* errors);

// The name of the instruction set in use, for benchmarks and bug reports.
const char* target_name();

}  // namespace kernels
}  // namespace gps
