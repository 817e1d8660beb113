#include "gps/data/loading.h"

#include <algorithm>
#include <mutex>

namespace gps {

void for_each_part(std::size_t count, const std::string& what, const LoadHooks& hooks,
                   const std::function<void(std::size_t begin, std::size_t end)>& work) {
  constexpr std::size_t kPart = 64;
  std::mutex mutex;
  std::size_t done = 0;
  const auto one = [&](std::size_t part) {
    hooks.check_stop();
    const std::size_t begin = part * kPart;
    const std::size_t end = std::min(count, begin + kPart);
    work(begin, end);
    const std::lock_guard lock(mutex);
    done += end - begin;
    hooks.report({what, done, count});
  };
  const std::size_t parts = (count + kPart - 1) / kPart;
  if (hooks.executor != nullptr) {
    hooks.executor->for_each(parts, one);
  } else {
    for (std::size_t part = 0; part < parts; ++part) one(part);
  }
}

}  // namespace gps
