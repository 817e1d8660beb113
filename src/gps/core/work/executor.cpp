#include "gps/core/work/executor.h"

#include <algorithm>
#include <cassert>
#include <exception>

namespace gps {

// All members are guarded by Executor::mutex_.
struct Executor::Group {
  Group(const std::function<void(std::size_t)>& group_work, std::size_t group_count,
        std::uint64_t group_number)
      : work(group_work), count(group_count), number(group_number), errors(group_count) {}

  const std::function<void(std::size_t)>& work;
  std::size_t count;
  std::uint64_t number;
  std::size_t next = 0;
  std::size_t finished = 0;
  std::vector<std::exception_ptr> errors;
};

Executor::Executor(int workers) {
  assert(workers >= 1);
  for (int i = 1; i < workers; ++i) threads_.emplace_back([this] { serve(); });
}

Executor::~Executor() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Executor::help(std::unique_lock<std::mutex>& lock, std::uint64_t after) {
  const auto at =
      std::find_if(groups_.begin(), groups_.end(),
                   [after](const std::shared_ptr<Group>& group) { return group->number > after; });
  if (at == groups_.end()) return false;
  const std::shared_ptr<Group> group = *at;
  const std::size_t item = group->next++;
  if (group->next == group->count) groups_.erase(at);
  lock.unlock();
  std::exception_ptr error;
  try {
    group->work(item);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  group->errors[item] = error;
  if (++group->finished == group->count) changed_.notify_all();
  return true;
}

template <typename Ready>
void Executor::wait(std::unique_lock<std::mutex>& lock, const Ready& ready) {
  ++waiting_;
  changed_.wait(lock, ready);
  --waiting_;
}

std::size_t Executor::idle() {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

void Executor::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    wait(lock, [this] { return closing_ || !groups_.empty(); });
    if (closing_) return;
    help(lock, /*after=*/0);
  }
}

void Executor::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (count == 0) return;
  std::unique_lock lock(mutex_);
  const auto group = std::make_shared<Group>(work, count, ++made_);
  groups_.push_back(group);
  changed_.notify_all();
  // Works on its own items first, then helps newer calls, such as those made inside its own items.
  while (group->finished < count) {
    if (help(lock, group->number - 1)) continue;
    wait(lock, [&] {
      return group->finished == count ||
             (!groups_.empty() && groups_.back()->number > group->number);
    });
  }
  for (const std::exception_ptr& error : group->errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace gps
