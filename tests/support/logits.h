// What a network says of all images of a set.
#pragma once

#include <vector>

#include "gps/nn/network.h"

namespace gps::testing {

// REQUIRES: images that are not rearranged.
inline std::vector<const std::uint8_t*> images_of(const Dataset& data) {
  std::vector<const std::uint8_t*> images;
  for (std::size_t row = 0; row < data.size(); ++row) images.push_back(data.image(row, {}));
  return images;
}

// Logits of the first `classes` classes.
inline std::vector<float> first_logits(Network& network, const Dataset& data, std::size_t classes) {
  const auto images = images_of(data);
  std::vector<float> all(images.size() * network.classes());
  network.logits(images, all);
  std::vector<float> first;
  for (std::size_t row = 0; row < images.size(); ++row) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(row * network.classes());
    first.insert(first.end(), at, at + static_cast<std::ptrdiff_t>(classes));
  }
  return first;
}

}  // namespace gps::testing
