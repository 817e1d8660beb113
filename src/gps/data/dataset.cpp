#include "gps/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

#include "gps/core/errors.h"

namespace gps {
namespace {

// Scatters the pixels onto a cleared image. Skips runs of eight zeros: real images are mostly
// background.
void scatter(const std::uint8_t* in, const PixelMap& map, std::uint8_t* out) {
  const std::size_t pixels = map.size();
  const std::uint32_t* const to = map.data();  // a written byte could be a part of the map itself
  std::memset(out, 0, pixels);
  std::size_t p = 0;
  for (; p + 8 <= pixels; p += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, in + p, 8);
    if (word == 0) continue;
    for (std::size_t k = p; k < p + 8; ++k) out[to[k]] = in[k];
  }
  for (; p < pixels; ++p) out[to[p]] = in[p];
}

// Null: there is no first map.
std::shared_ptr<const PixelMap> composed(const PixelMap* first, const PixelMap& second) {
  PixelMap both = second;
  if (first != nullptr) {
    for (std::size_t p = 0; p < both.size(); ++p) both[p] = second[(*first)[p]];
  }
  return std::make_shared<const PixelMap>(std::move(both));
}

ImageStore stored(std::vector<std::uint8_t> bytes) {
  const auto owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  return {owner, owner->data()};
}

}  // namespace

Dataset::Dataset(ImageShape shape, std::vector<std::uint8_t> bytes,
                 const std::vector<Label>& labels, int classes) {
  if (bytes.size() != labels.size() * shape.bytes()) {
    throw DataError(
        fmt::format("{} bytes of images for {} labels; expected {} bytes for each image",
                    bytes.size(), labels.size(), shape.bytes()));
  }
  *this = Dataset(shape, stored(std::move(bytes)), labels, classes);
}

Dataset::Dataset(ImageShape shape, ImageStore store, std::span<const Label> labels, int classes)
    : shape_(shape), classes_(classes), store_(std::move(store)) {
  auto rows = std::make_shared<std::vector<Row>>();
  rows->reserve(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= classes) {
      throw DataError(fmt::format("label {} of example {} is not below the number of classes ({})",
                                  labels[i], i, classes));
    }
    const auto number = static_cast<std::uint32_t>(i);
    rows->push_back({number, number, labels[i], 0});
  }
  rows_ = std::move(rows);
}

Dataset Dataset::without_images(ImageShape shape, std::span<const Label> labels,
                                std::span<const std::uint32_t> ids, int classes) {
  assert(ids.size() == labels.size());
  const Dataset numbered(shape, ImageStore(), labels, classes);
  auto rows = std::make_shared<std::vector<Row>>(*numbered.rows_);
  for (std::size_t i = 0; i < ids.size(); ++i) (*rows)[i].id = ids[i];
  Dataset result = numbered;
  result.rows_ = std::move(rows);
  return result;
}

const std::uint8_t* Dataset::image(std::size_t i, std::span<std::uint8_t> scratch) const {
  if (store_ == nullptr) return nullptr;
  const Row& row = (*rows_)[i];
  const std::uint8_t* stored = store_.get() + row.position * shape_.bytes();
  const PixelMap* map = maps_[row.map].get();
  if (map == nullptr) return stored;
  assert(scratch.size() >= shape_.bytes());
  const std::size_t pixels = shape_.pixels();
  if (index_ != nullptr) {
    std::uint8_t* const out = scratch.data();
    std::memset(out, 0, pixels);
    // Local pointers: a byte that is written could otherwise be a part of any of these vectors.
    const std::uint32_t* const to = map->data();
    const std::uint16_t* const from = index_->pixels.data();
    const std::uint8_t* const value = index_->values.data();
    const std::size_t end = index_->first[row.position + 1];
    for (std::size_t k = index_->first[row.position]; k < end; ++k) out[to[from[k]]] = value[k];
    return out;
  }
  for (int c = 0; c < shape_.channels; ++c) {
    const std::size_t offset = static_cast<std::size_t>(c) * pixels;
    scatter(stored + offset, *map, scratch.data() + offset);
  }
  return scratch.data();
}

void Dataset::prefetch(std::size_t i) const {
  constexpr std::size_t kCacheLine = 64;
  if (store_ == nullptr) return;
  const std::uint8_t* stored = store_.get() + (*rows_)[i].position * shape_.bytes();
  for (std::size_t b = 0; b < shape_.bytes(); b += kCacheLine) __builtin_prefetch(stored + b);
}

std::vector<std::vector<std::uint32_t>> Dataset::rows_by_class() const {
  std::vector<std::vector<std::uint32_t>> by_class(static_cast<std::size_t>(classes_));
  for (std::size_t i = 0; i < size(); ++i)
    by_class[label(i)].push_back(static_cast<std::uint32_t>(i));
  return by_class;
}

Dataset Dataset::subset(std::span<const std::uint32_t> rows) const {
  auto chosen = std::make_shared<std::vector<Row>>();
  chosen->reserve(rows.size());
  for (const std::uint32_t row : rows) chosen->push_back(rows_->at(row));
  Dataset result = *this;
  result.rows_ = std::move(chosen);
  return result;
}

Dataset Dataset::rearranged(const PixelMap& map) const {
  assert(map.size() == shape_.pixels());
  Dataset result = *this;
  for (std::shared_ptr<const PixelMap>& first : result.maps_) first = composed(first.get(), map);
  const bool is_the_only_map = maps_.size() == 1 && maps_.front() == seen_through_;
  result.seen_through_ =
      is_the_only_map ? result.maps_.front() : composed(seen_through_.get(), map);
  return result;
}

Dataset Dataset::edited(const Edit& edit) const {
  const std::size_t bytes = shape_.bytes();
  std::vector<std::uint8_t> store(size() * bytes);
  std::vector<std::uint8_t> scratch(bytes);
  for (std::size_t i = 0; i < size(); ++i) {
    if (i + 1 < size()) prefetch(i + 1);
    edit({image(i, scratch), bytes}, {store.data() + i * bytes, bytes});
  }
  auto rows =
      rows_ ? std::make_shared<std::vector<Row>>(*rows_) : std::make_shared<std::vector<Row>>();
  for (std::size_t i = 0; i < rows->size(); ++i) {
    (*rows)[i].position = static_cast<std::uint32_t>(i);
    (*rows)[i].map = 0;
  }
  Dataset result = *this;
  result.store_ = stored(std::move(store));
  result.index_ = nullptr;
  result.rows_ = std::move(rows);
  result.maps_ = {nullptr};
  result.seen_through_ = nullptr;
  return result;
}

Dataset Dataset::materialised() const {
  if (store_ == nullptr) return *this;
  Dataset result = edited([](std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
    std::copy(in.begin(), in.end(), out.begin());
  });
  result.seen_through_ = seen_through_;
  return result;
}

Dataset Dataset::indexed() const {
  const std::size_t pixels = shape_.pixels();
  constexpr std::size_t kMostPixels = std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1;
  if (index_ != nullptr || size() == 0 || shape_.channels != 1 || pixels > kMostPixels)
    return *this;
  std::vector<bool> is_used;
  for (const Row& row : *rows_) {
    if (row.position >= is_used.size()) is_used.resize(row.position + 1);
    is_used[row.position] = true;
  }
  PixelIndex index;
  index.first.push_back(0);
  for (std::size_t position = 0; position < is_used.size(); ++position) {
    const std::uint8_t* image = store_.get() + position * pixels;
    for (std::size_t p = 0; is_used[position] && p < pixels; ++p) {
      if (image[p] == 0) continue;
      index.pixels.push_back(static_cast<std::uint16_t>(p));
      index.values.push_back(image[p]);
    }
    index.first.push_back(index.pixels.size());
  }
  Dataset result = *this;
  result.index_ = std::make_shared<const PixelIndex>(std::move(index));
  return result;
}

Dataset Dataset::concatenated(std::span<const Dataset> parts) {
  assert(!parts.empty());
  Dataset result = parts.front();
  auto rows = std::make_shared<std::vector<Row>>();
  result.maps_.clear();
  for (const Dataset& part : parts) {
    assert(part.store_ == result.store_);
    if (part.index_ != result.index_) result.index_ = nullptr;
    if (part.seen_through_ != result.seen_through_) result.seen_through_ = nullptr;
    const std::size_t first_map = result.maps_.size();
    assert(first_map + part.maps_.size() <= std::numeric_limits<std::uint16_t>::max());
    result.maps_.insert(result.maps_.end(), part.maps_.begin(), part.maps_.end());
    if (part.size() == 0) continue;
    for (Row row : *part.rows_) {
      row.map = static_cast<std::uint16_t>(row.map + first_map);
      rows->push_back(row);
    }
  }
  result.rows_ = std::move(rows);
  return result;
}

}  // namespace gps
