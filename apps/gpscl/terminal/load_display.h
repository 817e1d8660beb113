// Shows the progress of work that has one activity after another: downloading, unpacking and
// decoding a data set, or learning a task. On a terminal this is one live line. Otherwise it is a
// plain line for each new activity, for each quarter of a download, and now and then for what takes
// more than two seconds (core/work/pace.h).
#pragma once

#include <cstdint>
#include <string>

#include "gps/core/work/pace.h"
#include "gps/data/loading.h"

namespace gps::cli {

class LoadDisplay {
 public:
  // Writes to standard error.
  explicit LoadDisplay(bool is_terminal, const Clock& clock = steady_seconds)
      : is_terminal_(is_terminal), pace_(clock), since_drawn_(clock) {}
  ~LoadDisplay();
  LoadDisplay(const LoadDisplay&) = delete;
  LoadDisplay& operator=(const LoadDisplay&) = delete;

  // `detail` is what else is known, such as "3 of at most 12 tried". Is never called by two threads
  // at once: LoadHooks guarantees it.
  void update(const LoadProgress& progress, const std::string& detail = {});

  // Prints lines that stay on the terminal.
  void tell(const std::string& lines);

 private:
  void begin(const LoadProgress& progress);
  // Returns for example "12.3 MB of 170.1 MB, 5.2 MB/s".
  std::string amount(const LoadProgress& progress) const;

  // Returns for example "35 %, 0:40 left".
  std::string standing(const LoadProgress& progress, const std::string& detail) const;

  bool is_terminal_;
  std::string what_;            // the activity shown last
  Pace pace_;                   // of this activity
  std::uint64_t before_ = 0;    // how much of it was already done when it began
  std::uint64_t quarters_ = 0;  // quarters of it that were announced
  Pace since_drawn_;
};

}  // namespace gps::cli
