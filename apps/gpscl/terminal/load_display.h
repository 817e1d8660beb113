// Shows the progress while a large data set is downloaded, unpacked and decoded. On a terminal this
// is one live line. Otherwise it is a plain line for each new activity and for each quarter of a
// download.
#pragma once

#include <chrono>
#include <cstdint>
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

  // Is never called by two threads at once: LoadHooks guarantees it.
  void update(const LoadProgress& progress);

  // Prints lines that stay on the terminal.
  void tell(const std::string& lines);

 private:
  void begin(const LoadProgress& progress);
  // Returns for example "12.3 MB of 170.1 MB, 5.2 MB/s".
  std::string amount(const LoadProgress& progress) const;

  bool is_terminal_;
  std::string what_;                               // the activity shown last
  std::chrono::steady_clock::time_point since_{};  // when it began
  std::uint64_t before_ = 0;                       // how much of it was already done then
  std::uint64_t quarters_ = 0;                     // quarters of it that were announced
  std::chrono::steady_clock::time_point last_drawn_{};
};

}  // namespace gps::cli
