// New classes grow the head: the network gets more outputs, and its outputs for the old classes
// stay the same. Stored logits grow as well, and a memory that is counted in bytes gets smaller.
// Classes that are removed take their outputs with them.
#pragma once

#include <memory>

#include "gps/core/rng.h"
#include "gps/memory/memory.h"
#include "gps/nn/catalog.h"

namespace gps {

// Returns a network with the same options and `classes` classes that keeps everything learnt: all
// tensors are copied bit for bit, including the last layer's rows of the old classes. The rows of
// the new classes are drawn from `rng`. If the network already has enough outputs, returns a copy
// of it. REQUIRES: the network was made from these options, for images of this shape. Throws
// DataError if the networks differ in more than the last layer.
std::unique_ptr<Network> grown(const Network& network, const NetworkOptions& options,
                               const ImageShape& shape, int classes,
                               const Normalisation& normalisation, const Rng& rng);

// Returns the network without the output of one class; all other numbers are copied bit for bit.
// REQUIRES: as above, with at least two classes. Throws DataError if more than the last layer would
// differ.
std::unique_ptr<Network> without_output(const Network& network, const NetworkOptions& options,
                                        const ImageShape& shape, const Normalisation& normalisation,
                                        Label removed);

// Extends stored logits after the head has grown from `old_classes` classes (DER). Stored values
// stay. For the new classes, each example gets the network's current logits.
void grow_stored_logits(Memory& memory, Network& network, std::size_t old_classes);

// Lowers the capacity, and removes examples as when a task is added: every task keeps an equal
// share, or what it has. REQUIRES: capacity <= memory.capacity().
void shrink_to(Memory& memory, std::size_t capacity);

}  // namespace gps
