// The images that were erased from a state and must not be learnt again, by the hashes of their
// pixels.
#pragma once

#include <cstdint>
#include <span>

#include "gps/core/files/archive.h"
#include "gps/data/dataset.h"
#include "gps/deployment/stored/image_hash.h"
#include "gps/memory/memory.h"

namespace gps {

class ErasedImages {
 public:
  std::size_t size() const { return hashes_.size(); }
  bool contains(std::uint64_t hash) const { return has_hash(hashes_, hash); }
  bool contains_all(const ImageHashes& hashes) const;
  void add(const ImageHashes& hashes);

  // Returns the images without those that were erased: as they are, or as this memory would store
  // them.
  Dataset without_them(const Dataset& images, const Memory& memory) const;

  // Refuses hashes that are not in order.
  void persist(Archive& archive);

 private:
  ImageHashes hashes_;
};

}  // namespace gps
