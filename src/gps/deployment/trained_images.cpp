#include "gps/deployment/trained_images.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "gps/core/hash.h"

namespace gps {
namespace {

template <typename Use>
void for_each_image(const Dataset& images, const Use& use) {
  std::vector<std::uint8_t> scratch(images.shape().bytes());
  for (std::size_t row = 0; row < images.size(); ++row)
    use(std::span<const std::uint8_t>(images.image(row, scratch), scratch.size()));
}

}  // namespace

bool TrainedImages::contains(std::span<const std::uint8_t> image) const {
  return contains(hash64(image));
}

bool TrainedImages::contains(std::uint64_t hash) const {
  return std::binary_search(hashes_.begin(), hashes_.end(), hash);
}

std::size_t TrainedImages::count(const Dataset& images) const {
  std::size_t found = 0;
  for_each_image(images, [&](std::span<const std::uint8_t> image) { found += contains(image); });
  return found;
}

void TrainedImages::add(const Dataset& images) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(images.size());
  for_each_image(images,
                 [&](std::span<const std::uint8_t> image) { hashes.push_back(hash64(image)); });
  add(std::move(hashes));
}

void TrainedImages::add(const Memory& memory) {
  if (!memory.keeps_pixels()) return;
  std::vector<std::uint64_t> hashes;
  for (const Example& example : memory.examples())
    hashes.push_back(hash64(std::span(example.image.get(), memory.image_bytes())));
  add(std::move(hashes));
}

void TrainedImages::add(std::vector<std::uint64_t> hashes) {
  std::sort(hashes.begin(), hashes.end());
  std::vector<std::uint64_t> all;
  all.reserve(hashes_.size() + hashes.size());
  std::merge(hashes_.begin(), hashes_.end(), hashes.begin(), hashes.end(), std::back_inserter(all));
  all.erase(std::unique(all.begin(), all.end()), all.end());
  hashes_ = std::move(all);
}

void TrainedImages::persist(Archive& archive) {
  archive.section("trained on");
  archive(hashes_);
  const bool is_in_order =
      std::adjacent_find(hashes_.begin(), hashes_.end(), std::greater_equal<>()) == hashes_.end();
  Archive::require(is_in_order, "the images that it was trained on are not in order");
}

}  // namespace gps
