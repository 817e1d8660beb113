// Labelled images as bytes. A Dataset is a cheap value: a list of rows, each an image in a shared,
// immutable store, seen through an optional rearrangement of its pixels. So a permuted task costs
// no copy of its images, and permuting it again only composes the two maps.
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

// The bytes of many images and their owner: a vector or a file mapped into memory.
using ImageStore = std::shared_ptr<const std::uint8_t>;

// The new place of each pixel position: out[map[p]] = in[p]. The same for every channel.
using PixelMap = std::vector<std::uint32_t>;

class Dataset {
 public:
  Dataset() = default;

  // `bytes` holds labels.size() images of this shape, channel by channel, row by row.
  // Throws DataError if the sizes disagree or a label is not below `classes`.
  Dataset(ImageShape shape, std::vector<std::uint8_t> bytes, const std::vector<Label>& labels,
          int classes);

  // The same with an existing store. REQUIRES: it holds labels.size() images.
  Dataset(ImageShape shape, ImageStore store, std::span<const Label> labels, int classes);

  // Returns a dataset of labels and ids alone, for callers that keep the images themselves:
  // selection needs no more. image() returns null, and materialised() has nothing to store.
  // REQUIRES: one id for each label. Throws DataError if a label is not below `classes`.
  static Dataset without_images(ImageShape shape, std::span<const Label> labels,
                                std::span<const std::uint32_t> ids, int classes);

  std::size_t size() const { return rows_ ? rows_->size() : 0; }
  const ImageShape& shape() const { return shape_; }
  int classes() const { return classes_; }
  Label label(std::size_t i) const { return (*rows_)[i].label; }

  // Returns the rearrangement that leads from the pictures to the images of this dataset, also if
  // they are materialised. Null: there is none, or not the same one for all images. edited() makes
  // new pictures.
  const std::shared_ptr<const PixelMap>& seen_through() const { return seen_through_; }

  // Identifies an example within its task. Kept by subset(), rearranged() and edited().
  std::uint32_t id(std::size_t i) const { return (*rows_)[i].id; }

  // Returns the image's bytes: in the store if its pixels are not rearranged, otherwise written to
  // `scratch`. REQUIRES: scratch.size() >= shape().bytes().
  const std::uint8_t* image(std::size_t i, std::span<std::uint8_t> scratch) const;

  // Prefetches the stored image into the cache, without waiting for it.
  void prefetch(std::size_t i) const;

  // Returns the rows of each class, in the order of this dataset: result[label] = {row, row, …}.
  std::vector<std::vector<std::uint32_t>> rows_by_class() const;

  // Returns the given rows, in the given order.
  Dataset subset(std::span<const std::uint32_t> rows) const;

  // Returns the same images with their pixels rearranged once more.
  Dataset rearranged(const PixelMap& map) const;

  // Returns the same labels and ids with new images, each made from the old one by `edit(in, out)`.
  // REQUIRES: it has images.
  using Edit = std::function<void(std::span<const std::uint8_t> in, std::span<std::uint8_t> out)>;
  Dataset edited(const Edit& edit) const;

  // Returns the same examples with their rearranged pixels stored. This costs a copy, but then
  // image() is free.
  Dataset materialised() const;

  // Returns the same dataset with an index of the pixels that are not zero, which all datasets made
  // from it share. Rearranged images are then made faster, for three bytes a pixel. Only for images
  // of one channel with at most 65,536 pixels; others stay as they are.
  Dataset indexed() const;

  // Returns all rows of all parts. REQUIRES: the parts are views of one store.
  static Dataset concatenated(std::span<const Dataset> parts);

 private:
  struct Row {
    std::uint32_t position;  // in the store
    std::uint32_t id;
    Label label;
    std::uint16_t map;  // index into maps_
  };

  // The pixels that are not zero: those of the image at position i of the store are [first[i],
  // first[i + 1]).
  struct PixelIndex {
    std::vector<std::size_t> first;
    std::vector<std::uint16_t> pixels;
    std::vector<std::uint8_t> values;
  };

  ImageShape shape_;
  int classes_ = 0;
  ImageStore store_;
  std::shared_ptr<const PixelIndex> index_;  // of the images of all rows; null: there is none
  std::shared_ptr<const std::vector<Row>> rows_;
  std::vector<std::shared_ptr<const PixelMap>> maps_{nullptr};  // null: as stored
  std::shared_ptr<const PixelMap> seen_through_;
};

}  // namespace gps
