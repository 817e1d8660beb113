// What a person sees while a large data set is downloaded, unpacked and decoded: one live line on a
// terminal, a plain line for each thing begun where output is piped, and for each quarter of a
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

  // Never twice at a time, as LoadHooks promises.
  void update(const LoadProgress& progress);

  // Lines to stay.
  void tell(const std::string& lines);

 private:
  void begin(const LoadProgress& progress);
  // "12.3 MB of 170.1 MB, 5.2 MB/s"
  std::string amount(const LoadProgress& progress) const;

  bool is_terminal_;
  std::string what_;                               // the last thing shown
  std::chrono::steady_clock::time_point since_{};  // when that was begun
  std::uint64_t before_ = 0;                       // how much of it was done then
  std::uint64_t quarters_ = 0;                     // of it that were told of
  std::chrono::steady_clock::time_point last_drawn_{};
};

}  // namespace gps::cli
