// The first step of a network: it maps pixels to (value/255 - mean) / deviation, by channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gps {

struct Normalisation {
  std::vector<float> mean = {};  // one per channel; empty: values stay in [0, 1]
  std::vector<float> deviation = {};

  friend bool operator==(const Normalisation&, const Normalisation&) = default;
};

// Sums over pixels of one channel. They are whole numbers, so that a mean over images does not
// depend on their order.
struct ChannelSums {
  std::uint64_t values = 0;
  std::uint64_t squares = 0;

  void add(std::span<const std::uint8_t> pixels) {
    for (const std::uint8_t value : pixels) {
      values += value;
      squares += std::uint64_t{value} * value;
    }
  }
  void add(const ChannelSums& other) {
    values += other.values;
    squares += other.squares;
  }
};

// Returns the mean and the standard deviation of each channel. If all images are uniform the
// variance is 0, so a deviation is at least one grey level, 1/255. REQUIRES: every channel has
// images · pixels values, at least one.
Normalisation normalisation_from(std::span<const ChannelSums> channels, std::size_t images,
                                 std::size_t pixels);

}  // namespace gps
