#include "gps/deployment/stored/erased_images.h"

#include <algorithm>
#include <functional>

namespace gps {

bool ErasedImages::contains_all(const ImageHashes& hashes) const {
  return std::includes(hashes_.begin(), hashes_.end(), hashes.begin(), hashes.end());
}

void ErasedImages::add(const ImageHashes& hashes) {
  ImageHashes all = hashes_;
  all.insert(all.end(), hashes.begin(), hashes.end());
  hashes_ = in_order(std::move(all));
}

Dataset ErasedImages::without_them(const Dataset& images, const Memory& memory) const {
  if (hashes_.empty() || images.size() == 0) return images;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint8_t> scratch(images.shape().bytes());
  for (std::uint32_t row = 0; row < images.size(); ++row) {
    const auto hashes = hashes_of({images.image(row, scratch), scratch.size()}, memory);
    const bool is_erased = std::any_of(hashes.begin(), hashes.end(),
                                       [&](std::uint64_t hash) { return contains(hash); });
    if (!is_erased) rows.push_back(row);
  }
  return images.subset(rows);
}

void ErasedImages::persist(Archive& archive) {
  archive.section("erased");
  archive(hashes_);
  const bool is_in_order =
      std::adjacent_find(hashes_.begin(), hashes_.end(), std::greater_equal<>()) == hashes_.end();
  Archive::require(is_in_order, "the images that were erased from it are not in order");
}

}  // namespace gps
