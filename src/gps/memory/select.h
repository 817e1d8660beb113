// Selects which examples of a task go into memory. Two random orders over its training set are
// drawn once (A11). The ring part of size a is the first a rows of the class-balanced order. The
// reservoir part is the first rows of the other order that are not in the ring part. A smaller part
// is always a prefix of a larger one, so all subset constraints of section 4.2 hold by
// construction, and candidates with different a differ in nothing but a (common random numbers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"

namespace gps {

struct SelectionOrders {
  std::vector<std::uint32_t>
      ring;  // round-robin over the classes, each class shuffled, classes in random order
  std::vector<std::uint32_t> reservoir;  // uniformly random

  // The same orders without the rows for which is_excluded[row] is true.
  SelectionOrders without(const std::vector<bool>& is_excluded) const;
};

// Which rows come first in each order, as marks by row. Empty: none.
struct Preferred {
  std::vector<bool> ring;  // first within their class
  std::vector<bool> reservoir;
};

// Draws the two orders. Preferred rows keep their order among themselves, and so do the others.
SelectionOrders selection_orders(const Dataset& data, const Rng& rng,
                                 const Preferred& preferred = {});

struct Selection {
  std::vector<std::uint32_t> ring;
  std::vector<std::uint32_t> reservoir;
};

// Selects `quota` rows, `ring_size` of them class-balanced; fewer if the data has fewer rows. The
// two parts are disjoint. REQUIRES: ring_size <= quota.
Selection select(const SelectionOrders& orders, std::size_t ring_size, std::size_t quota);

}  // namespace gps
