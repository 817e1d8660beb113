// The examples that a learner learns at one time, and the mini-batches that they are split into.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gps/data/augmentation.h"
#include "gps/data/dataset.h"

namespace gps {

// Task t_i: its number (from 1, as in the paper), its training examples and its labels. Test data
// is not part of a task, so no learner, policy or simulation can see it.
struct Task {
  int number = 0;
  Dataset train;
  std::vector<Label> labels = {};  // ascending; empty: all labels
  Augmentation augmentation = {};  // how training varies the images
  Arrangement arrangement = {};    // rearrangement after augmentation, for pseudo-tasks
};

// A mini-batch of one task. Buffers keep their storage from batch to batch.
struct Batch {
  int task = 0;
  std::vector<const std::uint8_t*> images;  // as the network sees them
  std::vector<Label> labels;
  std::vector<std::uint32_t> ids;
  Arrangement arrangement;    // the task's
  Arrangement map;            // Dataset::seen_through() of the task
  std::vector<float> logits;  // the network's logits, one row per image; empty: not computed

  std::size_t size() const { return images.size(); }

  std::span<const float> logits_of(std::size_t row) const {
    const std::size_t classes = logits.size() / size();
    return std::span(logits).subspan(row * classes, classes);
  }

  // Returns the stored image, without augmentation.
  const std::uint8_t* original(std::size_t row) const { return originals()[row]; }
  std::span<const std::uint8_t* const> originals() const {
    return originals_.empty() ? images : originals_;
  }

  // Fills the batch with these rows of the task. Prefetches the images of `next`, the rows of the
  // next batch, because rows in random order are never in the cache.
  void gather(const Task& from, std::span<const std::uint32_t> rows,
              std::span<const std::uint32_t> next = {}) {
    const std::size_t bytes = from.train.shape().bytes();
    for (const std::uint32_t row : next) from.train.prefetch(row);
    task = from.number;
    arrangement = from.arrangement;
    map = from.train.seen_through();
    originals_.clear();
    images.resize(rows.size());
    labels.resize(rows.size());
    ids.resize(rows.size());
    logits.clear();
    scratch_.resize(rows.size() * bytes);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      images[k] = from.train.image(rows[k], {scratch_.data() + k * bytes, bytes});
      labels[k] = from.train.label(rows[k]);
      ids[k] = from.train.id(rows[k]);
    }
  }

  // Replaces the images by random views that follow the task's augmentation.
  void vary(const Task& from, Rng rng) {
    const ImageShape& shape = from.train.shape();
    views_.resize(size() * shape.bytes());
    originals_ = images;
    for (std::size_t k = 0; k < size(); ++k) {
      std::uint8_t* view = views_.data() + k * shape.bytes();
      write_view(originals_[k], shape, draw_view(from.augmentation, rng), arrangement.get(), view);
      images[k] = view;
    }
  }

 private:
  std::vector<std::uint8_t> scratch_;
  std::vector<std::uint8_t> views_;
  std::vector<const std::uint8_t*> originals_;  // empty: same as `images`
};

}  // namespace gps
