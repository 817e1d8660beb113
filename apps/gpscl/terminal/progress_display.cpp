#include "terminal/progress_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"
#include "terminal/option_text.h"
#include "terminal/progress_bar.h"
#include "terminal/terminal_text.h"

namespace gps::cli {
namespace {

constexpr double kLeastShare = 0.01;  // below this, nobody can tell how long the rest takes

std::string where_in(const RunProgress& progress) {
  if (progress.is_planning)
    return fmt::format("planning, {} settings tried", progress.futures_tried);
  if (progress.is_testing)
    return fmt::format("testing, {} of {} images", progress.tested, progress.tests);
  if (!progress.is_simulating) return fmt::format("epoch {}/{}", progress.epoch, progress.epochs);
  if (progress.futures_most == 0) return "simulating";
  return fmt::format("simulating, {} of at most {} tried", progress.futures_tried,
                     progress.futures_most);
}

}  // namespace

ProgressDisplay::ProgressDisplay(std::vector<std::string> labels, bool is_terminal)
    : labels_(std::move(labels)), is_terminal_(is_terminal), states_(labels_.size()) {}

ProgressDisplay::~ProgressDisplay() { clear(); }

double ProgressDisplay::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void ProgressDisplay::clear() {
  const std::lock_guard lock(mutex_);
  if (is_terminal_) show_user("\r\033[K");
}

void ProgressDisplay::update(std::size_t run, const RunProgress& progress) {
  const std::lock_guard lock(mutex_);
  const RunProgress& before = states_[run].progress;
  const bool is_new_phase =
      progress.is_simulating != before.is_simulating || progress.is_testing != before.is_testing;
  states_[run].progress = progress;
  if (share_of_all().value_or(0) <= 0) before_training_ = seconds();
  announce();
  if (is_terminal_) {
    if (is_new_phase) last_drawn_ = {};  // draw the new phase at once
    draw(run);
  } else if (progress.accuracy && !progress.is_simulating) {
    tell_user("{}: task {}/{} learnt, accuracy so far {:.2f} %{} ({:.0f} s)", labels_[run],
              progress.task, progress.tasks, 100 * progress.among_all.value_or(*progress.accuracy),
              progress.among_all ? " among all classes" : "", seconds());
    pace_.begin();
  } else {
    tell_now_and_then(run);
  }
}

void ProgressDisplay::tell(std::size_t run, const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (is_terminal_) show_user("\r\033[K");
  tell_user("{}: {}", labels_[run], with_dashes(line));
}

void ProgressDisplay::finish(std::size_t run, const std::string& outcome) {
  tell(run, outcome);
  const std::lock_guard lock(mutex_);
  states_[run].is_done = true;
}

std::optional<double> ProgressDisplay::share_of_all() const {
  std::size_t done_steps = 0;
  std::size_t expected = 0;
  std::size_t started = 0;
  std::size_t to_do = 0;  // all runs except those finished earlier
  for (const State& state : states_) {
    if (state.progress.steps_expected > 0 || !state.is_done) ++to_do;
    if (state.progress.steps_expected == 0) continue;
    ++started;
    done_steps += state.progress.steps_done;
    expected += state.progress.steps_expected;
  }
  if (started == 0) return std::nullopt;
  expected = expected * to_do / started;  // assumes that the other runs take as many steps
  if (expected == 0) return 0;
  return std::min(1.0, static_cast<double>(done_steps) / static_cast<double>(expected));
}

double ProgressDisplay::seconds_left(double share) const {
  return (seconds() - before_training_) * (1 - share) / share;
}

void ProgressDisplay::announce() {
  constexpr double kWorthSaying = 60;
  constexpr double kMostShare = 0.5;  // later, it is no announcement any more
  const std::optional<double> share = share_of_all();
  if (is_announced_ || !share || *share <= 0 || seconds() - before_training_ < 1) return;
  is_announced_ = true;
  const double all = seconds() + seconds_left(*share);
  if (all < kWorthSaying || *share > kMostShare) return;
  if (is_terminal_) show_user("\r\033[K");
  tell_user("training will take about {}{}", duration_text(all),
            states_.size() > 1 ? " for all runs" : "");
}

void ProgressDisplay::tell_now_and_then(std::size_t run) {
  const std::optional<double> share = share_of_all();
  const RunProgress& progress = states_[run].progress;
  if (!share || !pace_.is_line_due()) return;
  if (progress.task == 0) {
    tell_user("{}: before the first task: {}, 0 % of all", labels_[run], where_in(progress));
    return;
  }
  std::string line = fmt::format("{}: task {}/{} {}, {:.0f} % of all", labels_[run], progress.task,
                                 progress.tasks, where_in(progress), 100 * *share);
  if (*share > kLeastShare) line += ", " + clock_time(seconds_left(*share)) + " left";
  tell_user("{}", line);
}

void ProgressDisplay::draw(std::size_t run) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  const std::optional<double> all = share_of_all();
  const RunProgress& progress = states_[run].progress;
  if (!all) return;
  const double share = all.value_or(0);
  const double elapsed = seconds();
  const std::string where = where_in(progress);
  std::size_t done_steps = 0;
  for (const State& state : states_) done_steps += state.progress.steps_done;
  const auto done_runs = std::count_if(states_.begin(), states_.end(),
                                       [](const State& state) { return state.is_done; });

  // The most important part comes first: a narrow terminal shows as many parts as fit on one line.
  std::vector<std::string> parts = {fmt::format(" {:3.0f} %", 100 * share)};
  if (share > kLeastShare) parts.push_back(clock_time(seconds_left(share)) + " left");
  parts.push_back(progress.task == 0
                      ? "before the first task, " + where
                      : fmt::format("task {}/{} {}", progress.task, progress.tasks, where));
  parts.push_back(fmt::format("{} of {} runs done", done_runs, states_.size()));
  parts.push_back(
      fmt::format("{:.0f} steps/s", static_cast<double>(done_steps) / std::max(elapsed, 1e-3)));
  parts.push_back(printable(labels_[run]));
  std::string line;
  for (const std::string& part : parts) {
    if (kProgressBarWidth + line.size() + part.size() + 3 > terminal_columns()) break;
    line += part + "  ";
  }
  show_user(fmt::format("\r\033[K{}{}", progress_bar(share), line));
}

}  // namespace gps::cli
