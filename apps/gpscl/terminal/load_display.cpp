#include "terminal/load_display.h"

#include <fmt/format.h>

#include <algorithm>

#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"
#include "terminal/bytes_text.h"
#include "terminal/progress_bar.h"

namespace gps::cli {

LoadDisplay::~LoadDisplay() {
  if (is_terminal_ && !what_.empty()) show_user("\r\033[K");
}

void LoadDisplay::begin(const LoadProgress& progress) {
  what_ = progress.what;
  since_ = std::chrono::steady_clock::now();
  before_ = progress.done;
  quarters_ = progress.total > 0 ? 4 * progress.done / progress.total : 0;
}

std::string LoadDisplay::amount(const LoadProgress& progress) const {
  if (progress.unit != LoadProgress::Unit::bytes) return {};
  std::string text = bytes_text(progress.done);
  if (progress.total > 0) text += " of " + bytes_text(progress.total);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - since_;
  if (taken.count() > 0.5 && progress.done >= before_) {
    const double rate = static_cast<double>(progress.done - before_) / taken.count();
    text += fmt::format(", {}/s", bytes_text(static_cast<std::uint64_t>(rate)));
  }
  return text;
}

void LoadDisplay::update(const LoadProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const bool is_new = progress.what != what_;
  if (is_new) begin(progress);
  if (!is_terminal_) {
    if (is_new) tell_user("{}", progress.what);
    const bool is_counted = progress.unit == LoadProgress::Unit::bytes && progress.total > 0;
    const std::uint64_t quarters = is_counted ? 4 * progress.done / progress.total : quarters_;
    if (quarters > quarters_ && quarters < 4)
      tell_user("{}: {} %, {}", progress.what, 25 * quarters, amount(progress));
    quarters_ = quarters;
    return;
  }
  if (!is_new && now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  std::string line = printable(progress.what);
  if (progress.total > 0) {
    const double share =
        std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
    line = fmt::format("{} {:3.0f} %  {}", progress_bar(share), 100 * share, line);
  }
  if (const std::string numbers = amount(progress); !numbers.empty()) line += "  " + numbers;
  show_user("\r\033[K" + line);
}

void LoadDisplay::tell(const std::string& lines) {
  if (is_terminal_ && !what_.empty()) show_user("\r\033[K");
  tell_user_lines("gpscl: " + lines);
}

}  // namespace gps::cli
