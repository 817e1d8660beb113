// A moment that others wait for: how threads and processes of a test meet, however fast they are.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace gps::testing {

// Shared by the threads of this process and by those that it forks while this exists. Nobody waits
// with a time limit: a moment that never comes is caught by the time limit of ctest.
class Moment {
 public:
  Moment() = default;
  ~Moment() { close(descriptor_); }
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;

  // It has come, and stays so.
  void comes() const { eventfd_write(descriptor_, 1); }
  void wait() const {
    pollfd waiting{descriptor_, POLLIN, 0};
    while (poll(&waiting, 1, /*forever*/ -1) <= 0) {
    }
  }

 private:
  int descriptor_ = eventfd(0, EFD_CLOEXEC);
};

}  // namespace gps::testing
