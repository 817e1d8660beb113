// Algorithm R (Vitter 1985; Algorithm 6 of the paper, ER-Res) over a range of slots at the end of a
// memory: after n offers, each of them is stored with probability capacity/n. An example that is
// stored already (offered again in a later epoch) is not stored twice.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "gps/core/rng.h"
#include "gps/memory/memory.h"

namespace gps {

class ReservoirSampler {
 public:
  ReservoirSampler() = default;
  // Uses slots first_slot, …, first_slot + capacity - 1. REQUIRES: nothing is stored at or after
  // first_slot yet.
  ReservoirSampler(std::size_t first_slot, std::size_t capacity)
      : first_slot_(first_slot), capacity_(capacity) {}

  // A reservoir over a whole memory that somebody else has filled out of `seen` examples.
  static ReservoirSampler over(const Memory& memory, std::uint64_t seen) {
    ReservoirSampler sampler(0, memory.capacity());
    sampler.seen_ = seen;
    return sampler;
  }

  // Uses all slots of a memory whose capacity has changed. REQUIRES: first_slot is 0. If the memory
  // is no longer full, it takes every new example until it is.
  void follow(const Memory& memory) { capacity_ = memory.capacity(); }

  // Offers a row of the batch. Returns the example that was replaced, if there is one.
  std::optional<Example> offer(Memory& memory, const Batch& batch, std::size_t row, Rng& rng) {
    const std::uint64_t before = seen_++;
    if (capacity_ == 0) return std::nullopt;
    if (memory.size() < first_slot_ + capacity_) {
      if (!memory.contains(batch.task, batch.ids[row])) {
        memory.add(memory.make_example(batch, row, Part::reservoir));
      }
      return std::nullopt;
    }
    const std::uint64_t slot = rng.index(before + 1);
    if (slot >= capacity_ || memory.contains(batch.task, batch.ids[row])) return std::nullopt;
    return put(memory, batch, row, slot);
  }

  // The same for an example that stands for `weight` offers (ER-CurRes). A full memory takes it
  // with probability min(1, capacity · weight/n), where n is the sum of the weights of all offers
  // so far.
  std::optional<Example> offer(Memory& memory, const Batch& batch, std::size_t row, double weight,
                               Rng& rng) {
    fraction_ += weight;
    const double whole = std::floor(fraction_);
    seen_ += static_cast<std::uint64_t>(whole);
    fraction_ -= whole;
    if (capacity_ == 0) return std::nullopt;
    const bool is_stored = memory.contains(batch.task, batch.ids[row]);
    if (memory.size() < first_slot_ + capacity_) {
      if (!is_stored) memory.add(memory.make_example(batch, row, Part::reservoir));
      return std::nullopt;
    }
    const double all = static_cast<double>(seen_) + fraction_;
    const bool is_taken = rng.uniform() * all < static_cast<double>(capacity_) * weight;
    if (!is_taken || is_stored) return std::nullopt;
    return put(memory, batch, row, rng.index(capacity_));
  }

  void persist(Archive& archive) {
    archive(first_slot_, capacity_, seen_);
    archive.between(fraction_, 0, 1, "fraction of an offer");
  }
  // Throws DataError if it has read slots that the memory does not have.
  void check_fits(const Memory& memory) const {
    const std::size_t most = memory.capacity();
    Archive::require(first_slot_ <= most && capacity_ <= most - first_slot_,
                     "a reservoir is larger than the memory");
  }

 private:
  Example put(Memory& memory, const Batch& batch, std::size_t row, std::uint64_t slot) {
    Example leaving = memory[first_slot_ + slot];
    memory.replace(first_slot_ + slot, memory.make_example(batch, row, Part::reservoir));
    return leaving;
  }

  std::size_t first_slot_ = 0;
  std::size_t capacity_ = 0;
  std::uint64_t seen_ = 0;
  double fraction_ = 0;  // fraction of an offer, in addition to seen_
};

}  // namespace gps
