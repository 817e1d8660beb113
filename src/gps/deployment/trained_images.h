// Recognises images that a state was trained on in any earlier call, also those that are no longer
// stored: a network may know such an image by heart, so it must not be used for testing. Of each
// image it keeps a hash of its pixels, eight bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gps/core/files/archive.h"
#include "gps/data/dataset.h"
#include "gps/memory/memory.h"

namespace gps {

class TrainedImages {
 public:
  std::size_t size() const { return hashes_.size(); }
  bool contains(std::span<const std::uint8_t> image) const;
  bool contains(std::uint64_t hash) const;
  // Returns how many of these images it contains.
  std::size_t count(const Dataset& images) const;

  void add(const Dataset& images);
  // Adds the stored images, if the memory keeps their pixels.
  void add(const Memory& memory);

  // Refuses hashes that are not in order.
  void persist(Archive& archive);

 private:
  void add(std::vector<std::uint64_t> hashes);

  std::vector<std::uint64_t> hashes_;  // ascending, each once
};

}  // namespace gps
