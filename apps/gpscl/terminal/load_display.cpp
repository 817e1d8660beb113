#include "terminal/load_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"
#include "gps/core/text/text.h"
#include "terminal/bytes_text.h"
#include "terminal/progress_bar.h"
#include "terminal/terminal_text.h"

namespace gps::cli {
namespace {

double share_done(const LoadProgress& progress) {
  if (progress.total == 0) return 0;
  return std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
}

}  // namespace

LoadDisplay::~LoadDisplay() {
  if (is_terminal_ && !what_.empty()) show_user("\r\033[K");
}

void LoadDisplay::begin(const LoadProgress& progress) {
  what_ = progress.what;
  pace_.begin(share_done(progress));
  before_ = progress.done;
  quarters_ = progress.total > 0 ? 4 * progress.done / progress.total : 0;
}

std::string LoadDisplay::amount(const LoadProgress& progress) const {
  if (progress.unit != LoadProgress::Unit::bytes) return {};
  std::string text = bytes_text(progress.done);
  if (progress.total > 0) text += " of " + bytes_text(progress.total);
  const double taken = pace_.elapsed();
  if (taken > 0.5 && progress.done >= before_) {
    const double rate = static_cast<double>(progress.done - before_) / taken;
    text += fmt::format(", {}/s", bytes_text(static_cast<std::uint64_t>(rate)));
  }
  return text;
}

std::string LoadDisplay::standing(const LoadProgress& progress, const std::string& detail) const {
  std::vector<std::string> parts;
  const double share = share_done(progress);
  if (progress.total > 0 && detail.empty()) parts.push_back(fmt::format("{:.0f} %", 100 * share));
  if (!detail.empty()) parts.push_back(detail);
  if (const std::string numbers = amount(progress); !numbers.empty()) parts.push_back(numbers);
  if (const auto left = pace_.left(share)) {
    parts.push_back(clock_time(*left) + " left");
  } else {
    parts.push_back(clock_time(pace_.elapsed()) + " so far");
  }
  return join(parts);
}

void LoadDisplay::update(const LoadProgress& progress, const std::string& detail) {
  const bool is_new = progress.what != what_;
  if (is_new) begin(progress);
  if (!is_terminal_) {
    if (is_new) tell_user("{}", progress.what);
    const bool is_counted = progress.unit == LoadProgress::Unit::bytes && progress.total > 0;
    const std::uint64_t quarters = is_counted ? 4 * progress.done / progress.total : quarters_;
    const bool is_over = progress.total > 0 && progress.done >= progress.total;
    if (quarters > quarters_ && quarters < 4) {
      tell_user("{}: {} %, {}", progress.what, 25 * quarters, amount(progress));
    } else if (!is_new && !is_over && pace_.is_line_due()) {
      tell_user("{}: {}", progress.what, standing(progress, detail));
    }
    quarters_ = quarters;
    return;
  }
  constexpr double kBetweenDrawings = 0.1;
  if (!is_new && since_drawn_.elapsed() < kBetweenDrawings) return;
  since_drawn_.begin();
  std::string line = printable(progress.what);
  const double share = share_done(progress);
  if (progress.total > 0)
    line = fmt::format("{} {:3.0f} %  {}", progress_bar(share), 100 * share, line);
  if (const std::string numbers = amount(progress); !numbers.empty()) line += "  " + numbers;
  if (!detail.empty()) line += "  " + detail;
  if (const auto left = pace_.left(share)) line += "  " + clock_time(*left) + " left";
  show_user("\r\033[K" + line);
}

void LoadDisplay::tell(const std::string& lines) {
  if (is_terminal_ && !what_.empty()) show_user("\r\033[K");
  tell_user_lines("gpscl: " + lines);
}

}  // namespace gps::cli
