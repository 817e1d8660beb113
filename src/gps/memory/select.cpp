#include "gps/memory/select.h"

#include <algorithm>
#include <cassert>

namespace gps {
namespace {

void put_first(const std::vector<bool>& marks, std::vector<std::uint32_t>& rows) {
  if (marks.empty()) return;
  std::stable_partition(rows.begin(), rows.end(), [&](std::uint32_t row) { return marks[row]; });
}

}  // namespace

SelectionOrders SelectionOrders::without(const std::vector<bool>& is_excluded) const {
  SelectionOrders rest = *this;
  const auto excluded = [&](std::uint32_t row) { return is_excluded[row]; };
  std::erase_if(rest.ring, excluded);
  std::erase_if(rest.reservoir, excluded);
  return rest;
}

SelectionOrders selection_orders(const Dataset& data, const Rng& rng, const Preferred& preferred) {
  SelectionOrders orders;
  orders.reservoir = rng.fork("reservoir").permutation(data.size());
  put_first(preferred.reservoir, orders.reservoir);

  auto by_class = data.rows_by_class();
  const auto class_order = rng.fork("class order").permutation(by_class.size());
  std::size_t longest = 0;
  for (std::size_t c = 0; c < by_class.size(); ++c) {
    rng.fork("class", c).shuffle(std::span(by_class[c]));
    put_first(preferred.ring, by_class[c]);
    longest = std::max(longest, by_class[c].size());
  }
  orders.ring.reserve(data.size());
  for (std::size_t round = 0; round < longest; ++round) {
    for (const std::uint32_t c : class_order) {
      if (round < by_class[c].size()) orders.ring.push_back(by_class[c][round]);
    }
  }
  return orders;
}

Selection select(const SelectionOrders& orders, std::size_t ring_size, std::size_t quota) {
  assert(ring_size <= quota);
  Selection chosen;
  chosen.ring.assign(
      orders.ring.begin(),
      orders.ring.begin() + static_cast<std::ptrdiff_t>(std::min(ring_size, orders.ring.size())));
  std::vector<bool> is_taken;
  for (const std::uint32_t row : chosen.ring) {
    if (row >= is_taken.size()) is_taken.resize(row + 1, false);
    is_taken[row] = true;
  }
  for (const std::uint32_t row : orders.reservoir) {
    if (chosen.ring.size() + chosen.reservoir.size() == quota) break;
    if (row < is_taken.size() && is_taken[row]) continue;
    chosen.reservoir.push_back(row);
  }
  return chosen;
}

}  // namespace gps
