#include "gps/memory/quota.h"

#include <algorithm>

namespace gps {

std::vector<std::size_t> deal(std::size_t total, std::span<const std::size_t> available) {
  std::vector<std::size_t> shares(available.size(), 0);
  std::vector<std::size_t> hungry;
  for (std::size_t k = 0; k < available.size(); ++k) {
    if (available[k] > 0) hungry.push_back(k);
  }
  while (total > 0 && !hungry.empty()) {
    // Deal all whole rounds at once until the first taker is full. The last round may be
    // incomplete.
    std::size_t rounds = total / hungry.size();
    for (const std::size_t k : hungry) rounds = std::min(rounds, available[k] - shares[k]);
    if (rounds == 0) {
      for (std::size_t n = 0; n < total; ++n) ++shares[hungry[n]];
      return shares;
    }
    for (const std::size_t k : hungry) shares[k] += rounds;
    total -= rounds * hungry.size();
    std::erase_if(hungry, [&](std::size_t k) { return shares[k] == available[k]; });
  }
  return shares;
}

}  // namespace gps
