#include "gps/core/work/stop.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace gps {
namespace stop_test {

TEST(StopFlag, LetsWorkGoOnUntilAStopIsRequested) {
  StopFlag stop;
  EXPECT_FALSE(stop.is_requested());
  EXPECT_NO_THROW(stop.check());
  stop.request();
  EXPECT_TRUE(stop.is_requested());
  EXPECT_THROW(stop.check(), Interrupted);
  EXPECT_THROW(stop.check(), Interrupted) << "a stop stays requested";
}

TEST(StopFlag, IsSeenByOtherThreads) {
  StopFlag stop;
  std::thread worker([&] {
    while (!stop.is_requested()) std::this_thread::yield();
  });
  stop.request();
  worker.join();
  EXPECT_THROW(stop.check(), Interrupted);
}

TEST(StopFlag, CallsBackAtEveryStopPointBeforeItAnswers) {
  StopFlag stop;
  int points = 0;
  stop.at_stop_points([&] {
    if (++points == 3) stop.request();
  });
  EXPECT_FALSE(stop.is_requested());
  EXPECT_NO_THROW(stop.check());
  EXPECT_THROW(stop.check(), Interrupted) << "requested at this very point";
  EXPECT_EQ(points, 3);
}

StopFlag signalled;
void on_signal(int) { signalled.request(); }

TEST(StopFlag, IsSetFromASignalHandler) {
  const auto before = std::signal(SIGUSR1, on_signal);
  std::raise(SIGUSR1);
  std::signal(SIGUSR1, before);
  EXPECT_TRUE(signalled.is_requested());
}

}  // namespace stop_test
}  // namespace gps
