// Labelled images as bytes. A Dataset is a cheap value: a list of rows, each one an image of a
// shared, immutable store seen through an optional rearrangement of its pixels. A permuted task
// therefore costs no copy of its images, and a permutation of a permuted task is one composed map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace gps {

using Label = std::uint16_t;

struct ImageShape {
  int channels = 1;
  int height = 0;
  int width = 0;

  std::size_t pixels() const {
    return static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  }
  std::size_t bytes() const { return static_cast<std::size_t>(channels) * pixels(); }
  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

// The bytes of many images and whatever keeps them alive: a vector, a file mapped into memory.
using ImageStore = std::shared_ptr<const std::uint8_t>;

// Where each pixel position goes: out[map[p]] = in[p]. The same for every channel.
using PixelMap = std::vector<std::uint32_t>;

class Dataset {
 public:
  Dataset() = default;

  // `bytes` holds labels.size() images of this shape, channel by channel, row by row.
  // Throws DataError if the sizes disagree or a label is not below `classes`.
  Dataset(ImageShape shape, std::vector<std::uint8_t> bytes, const std::vector<Label>& labels,
          int classes);

  // The same over a store that already exists. REQUIRES: it holds labels.size() images.
  Dataset(ImageShape shape, ImageStore store, std::span<const Label> labels, int classes);

  std::size_t size() const { return rows_ ? rows_->size() : 0; }
  const ImageShape& shape() const { return shape_; }
  int classes() const { return classes_; }
  Label label(std::size_t i) const { return (*rows_)[i].label; }

  // Tells the examples of one task apart; survives subset(), rearranged() and edited().
  std::uint32_t id(std::size_t i) const { return (*rows_)[i].id; }

  // The image's bytes: in the store itself where its pixels are not rearranged, otherwise written
  // to `scratch`. REQUIRES: scratch.size() >= shape().bytes().
  const std::uint8_t* image(std::size_t i, std::span<std::uint8_t> scratch) const;

  // Brings the stored image towards the cache, without waiting for it.
  void prefetch(std::size_t i) const;

  // Examples of each class, in the order of this dataset: result[label] = {row, row, …}.
  std::vector<std::vector<std::uint32_t>> rows_by_class() const;

  // The given rows, in the given order.
  Dataset subset(std::span<const std::uint32_t> rows) const;

  // The same images with their pixels rearranged once more.
  Dataset rearranged(const PixelMap& map) const;

  // The same labels and ids over new images, each made from the old one by `edit(in, out)`.
  using Edit = std::function<void(std::span<const std::uint8_t> in, std::span<std::uint8_t> out)>;
  Dataset edited(const Edit& edit) const;

  // The same examples with their pixels laid out as they are seen: costs a copy, and makes image()
  // free.
  Dataset materialised() const;

  // All rows of all parts. REQUIRES: the parts are views of one store.
  static Dataset concatenated(std::span<const Dataset> parts);

 private:
  struct Row {
    std::uint32_t position;  // in the store
    std::uint32_t id;
    Label label;
    std::uint16_t map;  // index into maps_
  };

  ImageShape shape_;
  int classes_ = 0;
  ImageStore store_;
  std::shared_ptr<const std::vector<Row>> rows_;
  std::vector<std::shared_ptr<const PixelMap>> maps_{nullptr};  // null: as stored
};

}  // namespace gps
