// What a person sees while a large data set is unpacked and decoded: one live line on a terminal, a
// plain line for each thing begun where output is piped.
#pragma once

#include <chrono>
#include <string>

#include "gps/data/loading.h"

namespace gps::cli {

class LoadDisplay {
 public:
  // Writes to standard error.
  explicit LoadDisplay(bool is_terminal) : is_terminal_(is_terminal) {}
  ~LoadDisplay();
  LoadDisplay(const LoadDisplay&) = delete;
  LoadDisplay& operator=(const LoadDisplay&) = delete;

  // Never twice at a time, as LoadHooks promises.
  void update(const LoadProgress& progress);

  // Lines to stay.
  void tell(const std::string& lines);

 private:
  bool is_terminal_;
  std::string what_;  // the last thing shown
  std::chrono::steady_clock::time_point last_drawn_{};
};

}  // namespace gps::cli
