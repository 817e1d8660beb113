// Shows the progress of runs: one live line on a terminal. Otherwise it is a plain line after each
// task, and now and then for tasks that take more than two seconds (core/work/pace.h).
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gps/core/work/pace.h"
#include "gps/experiments/run.h"

namespace gps::cli {

class ProgressDisplay {
 public:
  // Writes to standard error. `labels` has one entry per run.
  ProgressDisplay(std::vector<std::string> labels, bool is_terminal);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // All of these functions may be called from any thread.
  void update(std::size_t run, const RunProgress& progress);
  void tell(std::size_t run, const std::string& line);
  void finish(std::size_t run, const std::string& outcome);
  void clear();  // removes the live line, so that something else can be printed

 private:
  struct State {
    RunProgress progress;
    bool is_done = false;
  };
  void draw(std::size_t run);
  void tell_now_and_then(std::size_t run);
  void announce();  // once, as soon as it can be told: how long all runs will take
  // Returns the share of the steps of all runs that is done; nothing before the first begins.
  std::optional<double> share_of_all() const;
  double seconds() const;
  // Returns how long the steps to come take at the pace since the first step.
  double seconds_left(double share) const;

  std::vector<std::string> labels_;
  bool is_terminal_;
  std::mutex mutex_;
  std::vector<State> states_;
  Pace pace_;  // since the last line of a log
  bool is_announced_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_drawn_{};
  double before_training_ = 0;  // seconds until the first step: for tests and plans
};

}  // namespace gps::cli
