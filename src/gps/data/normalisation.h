// The first step of a network: it maps pixels to (value/255 - mean) / deviation, by channel.
#pragma once

#include <vector>

namespace gps {

struct Normalisation {
  std::vector<float> mean = {};  // one per channel; empty: values stay in [0, 1]
  std::vector<float> deviation = {};

  friend bool operator==(const Normalisation&, const Normalisation&) = default;
};

}  // namespace gps
