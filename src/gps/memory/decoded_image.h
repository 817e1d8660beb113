// What belongs to a stored image that is slow to decode: the rearrangement that its pixels are seen
// through, and its pixels once they have been decoded. All copies of an example share it, so an
// image is decoded once for all simulations. It changes no result: kept pixels are those that
// decoding gives.
//
// All kept pixels of a process together take at most kMostKeptBytes. Images are drawn at random,
// so there is nothing to gain from replacing some by others: who comes first is kept as long as its
// example lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gps/data/augmentation.h"

namespace gps {

class DecodedImage {
 public:
  static constexpr std::size_t kMostKeptBytes = std::size_t{64} << 20;

  // `map` leads from the stored pixels to those that are seen; null: there is none.
  DecodedImage(Arrangement map, std::size_t bytes) : map_(std::move(map)), bytes_(bytes) {}
  ~DecodedImage();
  DecodedImage(const DecodedImage&) = delete;
  DecodedImage& operator=(const DecodedImage&) = delete;

  const Arrangement& map() const { return map_; }

  // Returns the pixels as they are seen, or null if they are not kept. Valid as long as this lives.
  const std::uint8_t* pixels() const { return pixels_.load(std::memory_order_acquire); }

  // Keeps these pixels if there is room. May be called by several threads, with the same pixels.
  // REQUIRES: pixels.size() is as given to the constructor.
  void keep(std::span<const std::uint8_t> pixels);

  // Returns the bytes of all pixels that are kept in this process.
  static std::size_t kept_bytes();

 private:
  Arrangement map_;
  std::size_t bytes_;
  std::atomic<const std::uint8_t*> pixels_ = nullptr;
};

}  // namespace gps
