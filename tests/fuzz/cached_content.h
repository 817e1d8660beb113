// Two small images, for the fuzz target of the image cache and the corpus.
#pragma once

#include <algorithm>
#include <array>

#include "gps/data/images/image_cache.h"

namespace gps::fuzz {

inline ImageCacheContent cached_content() {
  static constexpr std::array<Label, 2> kLabels = {0, 1};
  ImageCacheContent content;
  content.what = "fuzz";
  content.key = 7;
  content.shape = {1, 2, 3};
  content.labels = kLabels;
  content.decode = [](std::size_t i, std::span<std::uint8_t> out) {
    std::fill(out.begin(), out.end(), static_cast<std::uint8_t>(10 * i));
  };
  return content;
}

}  // namespace gps::fuzz
