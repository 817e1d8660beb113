// Shows the progress of a sweep. On a terminal these are a few live lines for the whole sweep
// (done, running, failed, time left), and one line for each run that ends. Otherwise it is only the
// latter.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gps/experiments/scheduling/run_many.h"

namespace gps::cli {

class SweepDisplay {
 public:
  // Writes to standard error. `seconds` is the expected time of each job on one worker.
  SweepDisplay(const std::vector<Job>& jobs, std::vector<double> seconds, int workers,
               bool is_terminal);
  ~SweepDisplay();
  SweepDisplay(const SweepDisplay&) = delete;
  SweepDisplay& operator=(const SweepDisplay&) = delete;

  // All of these functions may be called from any thread.
  void start(std::size_t job);
  void update(std::size_t job, const RunProgress& progress);
  void tell(std::size_t job, const std::string& line);
  void end(std::size_t job, const JobEnd& how, const std::string& outcome);

 private:
  double seconds_left() const;
  void erase();
  void draw(bool at_once);

  const std::vector<Job>& jobs_;
  std::vector<double> seconds_;
  int workers_;
  bool is_terminal_;
  std::mutex mutex_;
  std::map<std::size_t, RunProgress> running_;
  std::vector<bool> has_ended_;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  double expected_ = 0;    // expected time of the jobs that this call has done
  double taken_ = 0;       // time that they really took
  std::size_t lines_ = 0;  // number of lines drawn
  std::chrono::steady_clock::time_point last_drawn_{};
};

}  // namespace gps::cli
