// Shows the progress of analyses: one live line on a terminal, and a line for each analysis that
// ends.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "gps/probes/probe.h"

namespace gps::cli {

class ProbeDisplay {
 public:
  // Writes to standard error. `labels` has one entry per analysis.
  ProbeDisplay(std::vector<std::string> labels, bool is_terminal);
  ~ProbeDisplay();
  ProbeDisplay(const ProbeDisplay&) = delete;
  ProbeDisplay& operator=(const ProbeDisplay&) = delete;

  // Both may be called from any thread.
  void update(std::size_t analysis, const ProbeProgress& progress);
  void finish(std::size_t analysis, const std::string& outcome);

 private:
  std::vector<std::string> labels_;
  bool is_terminal_;
  std::mutex mutex_;
  std::vector<double> shares_;  // how much of each analysis is done, from 0 to 1
  std::size_t finished_ = 0;
  std::chrono::steady_clock::time_point last_drawn_{};
};

}  // namespace gps::cli
