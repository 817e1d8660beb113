#include "gps/data/normalisation.h"

#include <algorithm>
#include <cmath>

namespace gps {

Normalisation normalisation_from(std::span<const ChannelSums> channels, std::size_t images,
                                 std::size_t pixels) {
  const double count = static_cast<double>(images) * static_cast<double>(pixels);
  Normalisation result;
  for (const ChannelSums& sums : channels) {
    const double mean = static_cast<double>(sums.values) / count;
    const double variance = static_cast<double>(sums.squares) / count - mean * mean;
    result.mean.push_back(static_cast<float>(mean / 255));
    result.deviation.push_back(static_cast<float>(std::sqrt(std::max(1.0, variance)) / 255));
  }
  return result;
}

}  // namespace gps
