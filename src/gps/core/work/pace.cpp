#include "gps/core/work/pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gps {

std::string duration_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 60 * kMinute;
  constexpr double kDay = 24 * kHour;
  const auto rounded = [](double value, double to) { return std::lround(value / to); };
  if (seconds < 9.5) return fmt::format("{} s", std::max(1L, rounded(seconds, 1)));
  if (seconds < 97.5) return fmt::format("{} s", 5 * rounded(seconds, 5));
  if (seconds < 59.5 * kMinute) return fmt::format("{} min", rounded(seconds, kMinute));
  if (seconds < 1.5 * kDay) {
    const long minutes = 10 * rounded(seconds, 10 * kMinute);
    return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60)
                             : fmt::format("{} h {} min", minutes / 60, minutes % 60);
  }
  return fmt::format("{} days", rounded(seconds, kDay));
}

}  // namespace gps
