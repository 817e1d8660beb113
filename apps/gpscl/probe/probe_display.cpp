#include "probe/probe_display.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "gps/core/tell_user.h"
#include "terminal/progress_bar.h"

namespace gps::cli {

ProbeDisplay::ProbeDisplay(std::vector<std::string> labels, bool is_terminal)
    : labels_(std::move(labels)), is_terminal_(is_terminal), shares_(labels_.size(), 0.0) {}

ProbeDisplay::~ProbeDisplay() {
  if (is_terminal_) show_user("\r\033[K");
}

void ProbeDisplay::update(std::size_t analysis, const ProbeProgress& progress) {
  const std::lock_guard lock(mutex_);
  shares_[analysis] = static_cast<double>(progress.done) / static_cast<double>(progress.expected);
  const auto now = std::chrono::steady_clock::now();
  if (!is_terminal_ || now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  const double share =
      std::reduce(shares_.begin(), shares_.end()) / static_cast<double>(shares_.size());
  show_user(fmt::format("\r\033[K{} {:3.0f} %  {} of {} done", progress_bar(share), 100 * share,
                        finished_, labels_.size()));
}

void ProbeDisplay::finish(std::size_t analysis, const std::string& outcome) {
  const std::lock_guard lock(mutex_);
  shares_[analysis] = 1;
  ++finished_;
  if (is_terminal_) show_user("\r\033[K");
  tell_user("{}: {}", labels_[analysis], outcome);
}

}  // namespace gps::cli
