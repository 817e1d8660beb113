// What a network does to pixels before anything else: (value/255 - mean) / deviation, by channel.
#pragma once

#include <vector>

namespace gps {

struct Normalisation {
  std::vector<float> mean = {};  // one a channel; empty: values stay in [0, 1]
  std::vector<float> deviation = {};

  friend bool operator==(const Normalisation&, const Normalisation&) = default;
};

}  // namespace gps
