// New classes grow the head: the network gets more outputs, and its outputs for the old classes
// stay the same.
#pragma once

#include <memory>

#include "gps/core/rng.h"
#include "gps/memory/memory.h"
#include "gps/nn/catalog.h"

namespace gps {

// A network made from the same options for `classes` classes, with all that the given one has
// learnt: every tensor is copied, and the last layer's rows of the old classes with them, bit for
// bit. The rows of the new classes are drawn from `rng`. The network itself (a copy) where it has
// outputs enough. REQUIRES: it was made from these options, for images of this shape. Throws
// DataError if what differs is not the last layer.
std::unique_ptr<Network> grown(const Network& network, const NetworkOptions& options,
                               const ImageShape& shape, int classes,
                               const Normalisation& normalisation, const Rng& rng);

// Stored logits for a head that has grown from `old_classes` (DER). Stored values stay. For the new
// classes, each example gets the logits that the network gives now.
void grow_stored_logits(Memory& memory, Network& network, std::size_t old_classes);

}  // namespace gps
