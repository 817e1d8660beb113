#include "gps/core/work/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <latch>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "gps/core/rng.h"

namespace gps {
namespace executor_test {

// Items wait for each other without a time limit: if they ran one after another, the test would
// hang until ctest ends it.

class ExecutorWith : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, ExecutorWith, ::testing::Values(1, 2, 4));

TEST_P(ExecutorWith, RunsEveryItemOnce) {
  Executor executor(GetParam());
  EXPECT_EQ(executor.workers(), GetParam());
  for (const std::size_t count : {0u, 1u, 3u, 1000u}) {
    std::vector<std::atomic<int>> runs(count);
    executor.for_each(count, [&](std::size_t i) { ++runs[i]; });
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(runs[i], 1) << "item " << i << " of " << count;
  }
}

TEST_P(ExecutorWith, RunsAsManyItemsAtATimeAsItHasWorkers) {
  const int workers = GetParam();
  Executor executor(workers);
  std::latch all_here(workers);
  std::atomic<int> met = 0;
  executor.for_each(static_cast<std::size_t>(workers), [&](std::size_t) {
    all_here.arrive_and_wait();
    ++met;
  });
  EXPECT_EQ(met, workers);
}

TEST_P(ExecutorWith, FinishesCallsInsideCallsWithoutMoreBusyThreadsThanWorkers) {
  const int workers = GetParam();
  Executor executor(workers);
  std::vector<std::atomic<int>> runs(120);
  // The first item of each worker waits for those of the others: then all of them are busy.
  std::latch all_busy(workers);
  std::atomic<int> begun = 0;
  std::atomic<int> busy = 0;
  std::atomic<int> most_busy = 0;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  executor.for_each(4, [&](std::size_t i) {
    executor.for_each(5, [&](std::size_t j) {
      executor.for_each(6, [&](std::size_t k) {
        const int now = ++busy;
        for (int most = most_busy; now > most && !most_busy.compare_exchange_weak(most, now);) {
        }
        {
          const std::lock_guard lock(mutex);
          threads.insert(std::this_thread::get_id());
        }
        if (++begun <= workers) all_busy.arrive_and_wait();
        ++runs[(i * 5 + j) * 6 + k];
        --busy;
      });
    });
  });
  for (const auto& count : runs) EXPECT_EQ(count, 1);
  EXPECT_EQ(most_busy, workers);
  EXPECT_EQ(threads.size(), static_cast<std::size_t>(workers));
}

TEST_P(ExecutorWith, ThrowsTheErrorOfTheLowestItemAfterRunningTheOthers) {
  Executor executor(GetParam());
  std::latch all_begun(50);
  std::atomic<int> finished = 0;
  try {
    executor.for_each(50, [&](std::size_t i) {
      all_begun.count_down();
      // Where others can throw before it, the lowest of the failing items waits for them.
      if (i == 7 && executor.workers() > 1) all_begun.wait();
      if (i % 10 == 7) throw std::runtime_error("item " + std::to_string(i));
      ++finished;
    });
    ADD_FAILURE() << "no error came out";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "item 7");
  }
  EXPECT_EQ(finished, 45);
}

TEST_P(ExecutorWith, PassesAnErrorOnThroughCallsInsideCallsAndWorksOn) {
  Executor executor(GetParam());
  const auto outer = [&](std::size_t i) {
    executor.for_each(3, [i](std::size_t j) {
      if (i == 1 && j == 2) throw std::out_of_range("inner");
    });
  };
  EXPECT_THROW(executor.for_each(4, outer), std::out_of_range);
  std::atomic<int> runs = 0;
  executor.for_each(10, [&](std::size_t) { ++runs; });
  EXPECT_EQ(runs, 10);
}

TEST(Executor, GivesTheSameResultForAnyNumberOfWorkers) {
  const auto results = [](int workers) {
    Executor executor(workers);
    const Rng rng(3);
    std::vector<double> sums(40);
    executor.for_each(sums.size(), [&](std::size_t i) {
      std::vector<double> parts(5);
      executor.for_each(parts.size(), [&](std::size_t j) {
        Rng draw = rng.fork("part", i, j);
        for (int k = 0; k < 100; ++k) parts[j] += draw.uniform();
      });
      for (const double part : parts) sums[i] += part;
    });
    return sums;
  };
  const auto alone = results(1);
  EXPECT_EQ(results(2), alone);
  EXPECT_EQ(results(4), alone);
}

TEST(Executor, OfOneWorkerKeepsToTheCallingThread) {
  Executor executor(1);
  executor.for_each(20, [caller = std::this_thread::get_id()](std::size_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

// Two outer items that have met run on two threads. Then one returns, and its thread, idle now,
// must help with the inner items of the other, which wait for each other. The calling thread is a
// worker like any other: it helps too while it waits.
TEST(Executor, IdleWorkersJoinCallsInsideCalls) {
  for (const bool caller_idles : {false, true}) {
    Executor executor(2);
    const auto caller = std::this_thread::get_id();
    std::latch outer(2);
    std::latch inner(2);
    std::atomic<int> met = 0;
    executor.for_each(2, [&](std::size_t) {
      outer.arrive_and_wait();
      if ((std::this_thread::get_id() == caller) == caller_idles) return;
      executor.for_each(2, [&](std::size_t) {
        inner.arrive_and_wait();
        ++met;
      });
    });
    EXPECT_EQ(met, 2) << (caller_idles ? "the calling thread" : "the other thread") << " idles";
  }
}

TEST(Executor, CountsTheWorkersWithNothingToDo) {
  Executor executor(3);
  // Workers go idle some time after they were started: wait for it, then keep all of them busy.
  while (executor.idle() < 2) std::this_thread::yield();
  std::barrier all_here(3);
  std::atomic<std::size_t> most{0};
  executor.for_each(3, [&](std::size_t) {
    all_here.arrive_and_wait();
    most = std::max(most.load(), executor.idle());
    all_here.arrive_and_wait();
  });
  EXPECT_EQ(most, 0u);
  EXPECT_EQ(Executor(1).idle(), 0u);
}

}  // namespace executor_test
}  // namespace gps
