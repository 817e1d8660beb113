#include "sweep/sweep_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"
#include "gps/report/tables/table.h"
#include "terminal/option_text.h"
#include "terminal/terminal_text.h"

namespace gps::cli {
namespace {

constexpr std::size_t kMostShown = 8;  // at most this many running jobs, one line each

double share_of(const RunProgress& progress) {
  if (progress.steps_expected == 0) return 0;
  return static_cast<double>(progress.steps_done) / static_cast<double>(progress.steps_expected);
}

std::string where(const RunProgress& progress) {
  if (progress.is_testing) {
    return fmt::format("task {}/{} testing, {} of {} images", progress.task, progress.tasks,
                       progress.tested, progress.tests);
  }
  if (progress.tasks == 0) return "starting";
  if (progress.is_simulating && progress.futures_most > 0) {
    return fmt::format("task {}/{} simulating {} of at most {}", progress.task, progress.tasks,
                       progress.futures_tried, progress.futures_most);
  }
  if (progress.is_simulating)
    return fmt::format("task {}/{} simulating", progress.task, progress.tasks);
  return fmt::format("task {}/{} epoch {}/{}", progress.task, progress.tasks, progress.epoch,
                     progress.epochs);
}

// Returns the first characters, as many as fit into the columns.
std::string cut(const std::string& text, std::size_t columns) {
  std::string shown = text;
  while (shown_width(shown) > columns) shown.pop_back();
  return shown;
}

}  // namespace

SweepDisplay::SweepDisplay(const std::vector<Job>& jobs, std::vector<double> seconds, int workers,
                           bool is_terminal)
    : jobs_(jobs),
      seconds_(std::move(seconds)),
      workers_(workers),
      is_terminal_(is_terminal),
      has_ended_(jobs.size()) {}

SweepDisplay::~SweepDisplay() {
  const std::lock_guard lock(mutex_);
  erase();
}

void SweepDisplay::start(std::size_t job) {
  const std::lock_guard lock(mutex_);
  running_[job] = {};
  draw(true);
}

void SweepDisplay::update(std::size_t job, const RunProgress& progress) {
  const std::lock_guard lock(mutex_);
  running_[job] = progress;
  draw(false);
}

void SweepDisplay::tell(std::size_t job, const std::string& line) {
  const std::lock_guard lock(mutex_);
  erase();
  tell_user("{}: {}", jobs_[job].label, with_dashes(line));
  draw(true);
}

void SweepDisplay::end(std::size_t job, const JobEnd& how, const std::string& outcome) {
  const std::lock_guard lock(mutex_);
  running_.erase(job);
  if (how.state == JobState::open) return;
  has_ended_[job] = true;
  const bool is_failed = how.state == JobState::failed || how.state == JobState::was_failed;
  ++(is_failed ? failed_ : done_);
  if (how.state == JobState::done) {
    expected_ += seconds_[job];
    taken_ += how.seconds;
  }
  erase();
  const std::string left =
      done_ + failed_ < jobs_.size() ? fmt::format("; {} left", clock_time(seconds_left())) : "";
  tell_user("[{}/{}] {}: {}{}", done_ + failed_, jobs_.size(), jobs_[job].label, outcome, left);
  draw(true);
}

// Returns the expected time, corrected by the ratio of real to expected times in this call.
double SweepDisplay::seconds_left() const {
  std::vector<double> rest;
  const double factor = expected_ > 0 ? taken_ / expected_ : 1;
  for (const auto& [job, progress] : running_)
    rest.push_back(seconds_[job] * (1 - share_of(progress)) * factor);
  double waiting = 0;
  for (std::size_t k = 0; k < jobs_.size(); ++k) {
    if (!has_ended_[k] && !running_.contains(k)) waiting += seconds_[k] * factor;
  }
  double longest = 0;
  for (const double each : rest) {
    longest = std::max(longest, each);
    waiting += each;
  }
  return std::max(longest, waiting / workers_);
}

void SweepDisplay::erase() {
  if (!is_terminal_ || lines_ == 0) return;
  if (lines_ > 1) show_user(fmt::format("\033[{}A", lines_ - 1));
  show_user("\r\033[J");
  lines_ = 0;
}

void SweepDisplay::draw(bool at_once) {
  if (!is_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (!at_once && now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  erase();
  const std::size_t columns = terminal_columns() - 1;
  std::string head = fmt::format("{} of {} done, {} running", done_, jobs_.size(), running_.size());
  if (failed_ > 0) head += fmt::format(", {} failed", failed_);
  head += fmt::format(", {} left", clock_time(seconds_left()));
  std::string text = cut(head, columns);
  lines_ = 1;
  for (const auto& [job, progress] : running_) {
    if (lines_ > kMostShown) break;
    ++lines_;
    text += '\n';
    text += cut(fmt::format("  {:3.0f} %  {}  {}", 100 * share_of(progress), where(progress),
                            printable(jobs_[job].label)),
                columns);
  }
  show_user(text);
}

}  // namespace gps::cli
