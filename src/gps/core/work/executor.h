// One pool of workers for everything that can run in parallel: seeds, policies, and the candidates
// of a search.
//
// `for_each` may be called from inside `for_each`. The caller always works on its own items, and
// idle workers join the outermost call that still has items. So there are never more busy threads
// than `workers()`, and no call waits for a thread that it does not have. Which thread runs an item
// is unspecified. Work that uses only its own data (and its own Rng) gives the same result for any
// number of workers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace gps {

class Executor {
 public:
  // `workers` counts the calling thread: Executor(1) starts no thread. REQUIRES: workers >= 1.
  explicit Executor(int workers);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int workers() const { return static_cast<int>(threads_.size()) + 1; }

  // Returns how many workers are idle now. This is a hint: it may be out of date at once.
  std::size_t idle();

  // Calls work(0), …, work(count - 1), each once, and returns when all are done. If some throw, the
  // others still run, and the exception of the lowest index is thrown here.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  struct Group;
  // Takes one item of the outermost group whose number is above `after`, and works on it. Returns
  // false, without doing anything, if there is no such group. REQUIRES: the lock is held; it is
  // held again on return.
  bool help(std::unique_lock<std::mutex>& lock, std::uint64_t after);
  void serve();
  template <typename Ready>
  void wait(std::unique_lock<std::mutex>& lock, const Ready& ready);

  std::mutex mutex_;
  std::condition_variable changed_;           // there is work, or a group is finished
  std::list<std::shared_ptr<Group>> groups_;  // groups with items left, outermost first
  std::uint64_t made_ = 0;                    // number of groups so far
  std::size_t waiting_ = 0;                   // number of idle workers
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace gps
