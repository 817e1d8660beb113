// Floats for vector instructions: aligned, in rows padded to whole vectors.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "gps/core/files/archive.h"

namespace gps {

inline constexpr std::size_t kLane = 16;  // floats in the widest vector

constexpr std::size_t padded(std::size_t n) { return (n + kLane - 1) / kLane * kLane; }

// An array of floats that is aligned for vectors, initially zero, and copied by value.
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
  operator std::span<float>() { return {data(), size_}; }
  operator std::span<const float>() const { return {data(), size_}; }
  float& operator[](std::size_t i) { return data_[i]; }
  float operator[](std::size_t i) const { return data_[i]; }
  void persist(Archive& archive) {
    const std::size_t size = archive.count(size_, sizeof(float));
    if (archive.is_reading()) *this = AlignedFloats(size);
    archive.in_place(std::span<float>(*this));
  }
  void clear() {
    if (size_ > 0) std::memset(data(), 0, size_ * sizeof(float));
  }

 private:
  std::size_t size_ = 0;
  hwy::AlignedFreeUniquePtr<float[]> data_;
};

}  // namespace gps
