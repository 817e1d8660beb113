// The rows of one step: the current batch, then examples drawn from the memory, decoded. If images
// are augmented, drawn examples are random views of the stored images. Buffers keep their storage
// from step to step.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "gps/core/rng.h"
#include "gps/memory/memory.h"
#include "gps/nn/network.h"

namespace gps {

class ReplayRows {
 public:
  void clear() {
    images_.clear();
    labels_.clear();
  }
  void start(const Batch& now) {
    images_.assign(now.images.begin(), now.images.end());
    labels_.assign(now.labels.begin(), now.labels.end());
  }

  // Adds `wanted` examples of the memory, or as many as there are, drawn without replacement.
  // Returns their slots, valid until the next call.
  std::span<const std::uint32_t> draw(const Memory& past, int wanted, Rng& rng) {
    rng.distinct(std::min(static_cast<std::size_t>(wanted), past.size()), past.size(), drawn_);
    for (const std::uint32_t slot : drawn_) add(past, slot, rng);
    return drawn_;
  }

  // Adds the examples of these slots of the memory, in this order. The stream is used only if
  // images are augmented.
  void take(const Memory& past, std::span<const std::uint32_t> slots, Rng& rng) {
    for (const std::uint32_t slot : slots) add(past, slot, rng);
  }

  // Like draw(), and appends the stored logits of the examples to `logits`. Drawn examples without
  // stored logits are left out. Returns how many examples were added.
  std::size_t draw_with_logits(const Memory& past, int wanted, Rng& rng, std::size_t classes,
                               std::vector<float>& logits) {
    rng.distinct(std::min(static_cast<std::size_t>(wanted), past.size()), past.size(), drawn_);
    std::erase_if(drawn_, [&](std::uint32_t slot) { return past[slot].logits == nullptr; });
    for (const std::uint32_t slot : drawn_) {
      add(past, slot, rng);
      logits.resize(logits.size() + classes);
      past.read_logits(past[slot], std::span(logits).last(classes));
    }
    return drawn_.size();
  }

  std::size_t size() const { return images_.size(); }
  ImageRows images() const { return images_; }
  // The labels of the rows [first, first + count).
  std::span<const Label> labels(std::size_t first, std::size_t count) const {
    return std::span(labels_).subspan(first, count);
  }

 private:
  void add(const Memory& past, std::uint32_t slot, Rng& rng) {
    const Example& example = past[slot];
    labels_.push_back(example.label);
    const bool is_varied = !past.augmentation().is_none();
    if (past.keeps_pixels() && !is_varied) {
      images_.push_back(example.image.get());
      return;
    }
    const std::size_t row = images_.size();
    if (views_.size() <= row) views_.resize(row + 1);
    views_[row].resize(past.image_bytes());
    if (is_varied) {
      decoded_.resize(past.image_bytes());
      write_view(past.image(example, decoded_), past.shape(), draw_view(past.augmentation(), rng),
                 example.arrangement.get(), views_[row].data());
      images_.push_back(views_[row].data());
    } else {
      images_.push_back(past.image(example, views_[row]));
    }
  }

  std::vector<std::uint32_t> drawn_;
  std::vector<std::vector<std::uint8_t>> views_;  // by row: decoded images, or views of them
  std::vector<std::uint8_t> decoded_;             // an image that a view is taken of
  std::vector<const std::uint8_t*> images_;
  std::vector<Label> labels_;
};

}  // namespace gps
