#include "gps/memory/decoded_image.h"

#include <algorithm>
#include <cassert>
#include <memory>

namespace gps {
namespace {

std::atomic<std::size_t> all_kept_bytes = 0;

}  // namespace

DecodedImage::~DecodedImage() {
  const std::unique_ptr<const std::uint8_t[]> pixels(pixels_.load(std::memory_order_acquire));
  if (pixels != nullptr) all_kept_bytes -= bytes_;
}

void DecodedImage::keep(std::span<const std::uint8_t> pixels) {
  assert(pixels.size() == bytes_);
  if (pixels_.load(std::memory_order_relaxed) != nullptr) return;
  if (all_kept_bytes.fetch_add(bytes_) + bytes_ > kMostKeptBytes) {
    all_kept_bytes -= bytes_;
    return;
  }
  auto copy = std::make_unique_for_overwrite<std::uint8_t[]>(bytes_);
  std::copy(pixels.begin(), pixels.end(), copy.get());
  const std::uint8_t* none = nullptr;
  if (pixels_.compare_exchange_strong(none, copy.get(), std::memory_order_acq_rel)) {
    copy.release();
  } else {
    all_kept_bytes -= bytes_;
  }
}

std::size_t DecodedImage::kept_bytes() { return all_kept_bytes; }

}  // namespace gps
