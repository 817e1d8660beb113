// How fast work goes: when a log gets a line about it, and how long the rest will take. Reads time
// from a clock that is an argument.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "gps/core/work/clock.h"

namespace gps {

class Pace {
 public:
  // Work that takes less is over before anybody asks.
  static constexpr double kFirstLine = 2;
  static constexpr double kMostBetweenLines = 60;

  explicit Pace(Clock clock = steady_seconds) : clock_(std::move(clock)), begun_(clock_()) {}

  // Starts anew, with work of which this share is done already.
  void begin(double share = 0) {
    begun_ = clock_();
    share_at_begin_ = share;
    next_line_ = kFirstLine;
  }

  double elapsed() const { return clock_() - begun_; }

  // Returns the seconds that are left when this share of the work is done. Nothing in the first
  // second, and while too little is done to tell.
  std::optional<double> left(double share) const {
    constexpr double kLeastShare = 0.005;
    const double taken = elapsed();
    const double done = share - share_at_begin_;
    if (taken < 1 || done < kLeastShare) return std::nullopt;
    return taken * std::max(0.0, 1 - share) / done;
  }

  // Returns whether a log should get a line now: two seconds after the work began, then when it has
  // taken twice as long, and so on, but at least once a minute.
  bool is_line_due() {
    const double taken = elapsed();
    if (taken < next_line_) return false;
    while (next_line_ <= taken) next_line_ += std::min(next_line_, kMostBetweenLines);
    return true;
  }

 private:
  Clock clock_;
  double begun_;
  double share_at_begin_ = 0;
  double next_line_ = kFirstLine;
};

// Returns for example "1 s", "40 s", "5 min", "3 h 20 min" or "2 days", rounded as an estimate may
// be.
std::string duration_text(double seconds);

}  // namespace gps
