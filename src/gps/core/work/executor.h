// One pool of workers for everything that can run side by side: seeds, policies, and the candidates
// of a search.
//
// `for_each` may be called from inside `for_each`: the caller always works on its own items, and
// idle workers join the outermost call that still has items, so there are never more busy threads
// than `workers()` and no call waits for a thread that it does not have. Which thread runs an item
// is unspecified; work that keeps to its own data (and its own Rng) gives the same result for any
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

  // How many workers have nothing to do at the moment: a hint, stale as soon as it is given.
  std::size_t idle();

  // Calls work(0), …, work(count - 1), each once, and returns when all are done. If some throw, the
  // others still run, and the exception of the lowest index is thrown here.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  struct Group;
  // Takes an item of the outermost group that is newer than `after` and works on it. REQUIRES: the
  // lock is held, and is held again afterwards. Returns false, having done nothing, if there is
  // none.
  bool help(std::unique_lock<std::mutex>& lock, std::uint64_t after);
  void serve();
  template <typename Ready>
  void wait(std::unique_lock<std::mutex>& lock, const Ready& ready);

  std::mutex mutex_;
  std::condition_variable changed_;           // there is work, or some group is finished
  std::list<std::shared_ptr<Group>> groups_;  // with items left, outermost first
  std::uint64_t made_ = 0;                    // groups so far
  std::size_t waiting_ = 0;                   // workers with nothing to do
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace gps
