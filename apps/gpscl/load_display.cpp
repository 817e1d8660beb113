#include "load_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "progress_bar.h"

namespace gps::cli {

LoadDisplay::~LoadDisplay() {
  if (is_terminal_ && !what_.empty()) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void LoadDisplay::update(const LoadProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const bool is_new = progress.what != what_;
  what_ = progress.what;
  if (!is_terminal_) {
    if (is_new) fmt::print(stderr, "{}\n", progress.what);
    return;
  }
  if (!is_new && now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  std::string line = progress.what;
  if (progress.total > 0) {
    const double share =
        std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
    line = fmt::format("{} {:3.0f} %  {}", progress_bar(share), 100 * share, progress.what);
  }
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
}

void LoadDisplay::tell(const std::string& lines) {
  if (is_terminal_ && !what_.empty()) fmt::print(stderr, "\r\033[K");
  fmt::print(stderr, "gpscl: {}\n", lines);
}

}  // namespace gps::cli
