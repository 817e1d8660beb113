// Which examples of a task go into memory: two fixed random orders over its training set, drawn
// once (A11). The ring part of size a is the first a of the class-balanced order; the reservoir
// part is the first of the other order that are not in the ring. Taking fewer is always taking a
// prefix, so all the subset constraints of section 4.2 hold by construction, and candidates of
// different a differ in nothing but a (common random numbers).
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

// Rows that come before all others: marks[row] for either order. Empty: none.
struct Preferred {
  std::vector<bool> ring;  // in their class
  std::vector<bool> reservoir;
};

// What is preferred does not change the order of the preferred rows, nor that of the others.
SelectionOrders selection_orders(const Dataset& data, const Rng& rng,
                                 const Preferred& preferred = {});

struct Selection {
  std::vector<std::uint32_t> ring;
  std::vector<std::uint32_t> reservoir;
};

// `quota` rows, `ring_size` of them class-balanced (fewer where the data has fewer rows). The parts
// are disjoint. REQUIRES: ring_size <= quota.
Selection select(const SelectionOrders& orders, std::size_t ring_size, std::size_t quota);

}  // namespace gps
