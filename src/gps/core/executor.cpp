#include "gps/core/executor.h"

#include <cassert>
#include <exception>

namespace gps {

struct Executor::Group {
  Group(const std::function<void(std::size_t)>& group_work, std::size_t group_count)
      : work(group_work), count(group_count), errors(group_count) {}

  const std::function<void(std::size_t)>& work;
  std::size_t count;
  std::size_t next = 0;      // guarded by Executor::mutex_
  std::size_t finished = 0;  // guarded by `mutex`
  std::vector<std::exception_ptr> errors;
  std::mutex mutex;
  std::condition_variable done;
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
  work_available_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Executor::run_item(Group& group, std::size_t item) {
  std::exception_ptr error;
  try {
    group.work(item);
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(group.mutex);
  group.errors[item] = error;
  if (++group.finished == group.count) group.done.notify_all();
}

void Executor::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_available_.wait(lock, [this] { return closing_ || !groups_.empty(); });
    if (groups_.empty()) return;
    const std::shared_ptr<Group> group = groups_.front();
    const std::size_t item = group->next++;
    if (group->next == group->count) groups_.pop_front();
    lock.unlock();
    run_item(*group, item);
    lock.lock();
  }
}

void Executor::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (count == 0) return;
  const auto group = std::make_shared<Group>(work, count);
  {
    const std::lock_guard lock(mutex_);
    groups_.push_back(group);
  }
  work_available_.notify_all();
  while (true) {
    std::size_t item = 0;
    {
      const std::lock_guard lock(mutex_);
      if (group->next == count) break;
      item = group->next++;
      if (group->next == count) groups_.remove(group);
    }
    run_item(*group, item);
  }
  std::unique_lock lock(group->mutex);
  group->done.wait(lock, [&] { return group->finished == count; });
  for (const std::exception_ptr& error : group->errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace gps
