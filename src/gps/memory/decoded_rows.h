// The images of stored examples as rows for a network. If the memory keeps pixels, the rows are
// those that it stores. Otherwise they are decoded here. Buffers keep their storage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gps/memory/memory.h"

namespace gps {

class DecodedRows {
 public:
  void clear() { rows_.clear(); }

  void add(const Memory& memory, const Example& example) {
    if (memory.keeps_pixels()) {
      rows_.push_back(example.image.get());
      return;
    }
    const std::size_t row = rows_.size();
    if (decoded_.size() <= row) decoded_.resize(row + 1);
    decoded_[row].resize(memory.image_bytes());
    rows_.push_back(memory.image(example, decoded_[row]));
  }

  // Valid until the next clear().
  std::span<const std::uint8_t* const> rows() const { return rows_; }

 private:
  std::vector<std::vector<std::uint8_t>> decoded_;  // by row
  std::vector<const std::uint8_t*> rows_;
};

// Calls work(first, rows) with the images of slots[first], slots[first + 1], …, until all slots
// have been passed: all at once if the memory keeps pixels, otherwise a few hundred at a time, so
// that a large memory is never decoded as a whole.
template <typename Work>
void for_decoded(const Memory& memory, std::span<const std::size_t> slots, const Work& work) {
  constexpr std::size_t kDecodedAtOnce = 256;
  const std::size_t step = memory.keeps_pixels() ? slots.size() : kDecodedAtOnce;
  DecodedRows decoded;
  for (std::size_t first = 0; first < slots.size(); first += step) {
    decoded.clear();
    for (const std::size_t slot : slots.subspan(first, std::min(step, slots.size() - first)))
      decoded.add(memory, memory[slot]);
    work(first, decoded.rows());
  }
}

}  // namespace gps
