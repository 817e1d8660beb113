// A bar of twenty columns, filled from the left.
#pragma once

#include <cstddef>
#include <string>

namespace gps::cli {

constexpr std::size_t kProgressBarWidth = 20;

// REQUIRES: share is between 0 and 1.
inline std::string progress_bar(double share) {
  const auto filled = static_cast<std::size_t>(share * kProgressBarWidth);
  std::string bar;
  for (std::size_t k = 0; k < kProgressBarWidth; ++k) bar += k < filled ? "█" : "░";
  return bar;
}

}  // namespace gps::cli
