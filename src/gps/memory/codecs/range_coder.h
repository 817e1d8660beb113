// Writes and reads yes-or-no decisions in about as few bits as their probabilities allow: a binary
// range coder as in LZMA, with integers only, so that all machines write the same bytes. Bytes
// that are not there count as zeros, and the last bytes are chosen so that as many as possible are
// zero. So whoever has a row of a fixed size needs no length.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gps {

// The probability of yes, in parts of 2^16. It is near the share of yes among the decisions so far
// and the start, which counts as `weight` decisions.
class Chance {
 public:
  Chance() = default;
  constexpr Chance(unsigned parts, unsigned weight)
      : parts_(static_cast<std::uint16_t>(parts)), seen_(static_cast<std::uint16_t>(weight)) {}

  bool is_set() const { return seen_ > 0; }
  std::uint32_t parts() const { return parts_; }

  void learn(bool yes) {
    const std::uint32_t rate = kRates[seen_];
    if (yes) {
      parts_ = static_cast<std::uint16_t>(parts_ + (((kMost - parts_) * rate) >> 16));
    } else {
      parts_ = static_cast<std::uint16_t>(parts_ - (((parts_ - kLeast) * rate) >> 16));
    }
    if (seen_ + 1u < kRates.size()) ++seen_;
  }

 private:
  static constexpr std::uint32_t kLeast = 64;
  static constexpr std::uint32_t kMost = (1u << 16) - kLeast;

  // One more decision among n changes a share by 1/(n + 1) of the difference.
  static constexpr std::array<std::uint32_t, 128> kRates = [] {
    std::array<std::uint32_t, 128> rates{};
    for (std::uint32_t n = 0; n < rates.size(); ++n) rates[n] = (1u << 16) / (n + 1) - (n == 0);
    return rates;
  }();

  std::uint16_t parts_ = 1u << 15;
  std::uint16_t seen_ = 0;  // not a byte, which could be an alias of anything
};

class RangeWriter {
 public:
  // REQUIRES: `out` is all zeros.
  explicit RangeWriter(std::span<std::uint8_t> out) : out_(out) {}

  // Writes the decision, and returns it.
  bool code(const Chance& chance, bool yes) {
    const std::uint32_t bound = (range_ >> 16) * chance.parts();
    if (yes) {
      range_ = bound;
    } else {
      low_ += bound;
      range_ -= bound;
    }
    while (range_ < kNarrow) {
      range_ <<= 8;
      shift();
    }
    return yes;
  }

  // Whether what was written so far does not fit.
  bool is_over() const { return is_over_; }

  // Writes what is needed to tell the decisions apart from any others. Returns whether all fits.
  bool finish() {
    const std::uint64_t high = low_ + range_ - 1;
    for (unsigned zeros = 32;; --zeros) {
      const std::uint64_t below = (std::uint64_t{1} << zeros) - 1;
      const std::uint64_t value = (low_ + below) & ~below;
      if (value > high) continue;  // with no zeros, it is low_ itself
      low_ = value;
      break;
    }
    for (int k = 0; k < 5; ++k) shift();
    return !is_over_;
  }

 private:
  static constexpr std::uint32_t kNarrow = 1u << 24;

  // Moves the highest byte of low_ out. It waits in waiting_ until no carry can change it, with the
  // bytes 255 that follow it.
  void shift() {
    const bool carries = (low_ >> 32) != 0;
    if (carries || static_cast<std::uint32_t>(low_) < 0xFF000000u) {
      const unsigned carry = carries ? 1 : 0;
      if (has_waiting_) put(static_cast<std::uint8_t>(waiting_ + carry));
      for (; full_bytes_ > 0; --full_bytes_) put(static_cast<std::uint8_t>(0xFFu + carry));
      waiting_ = static_cast<std::uint8_t>(low_ >> 24);
      has_waiting_ = true;
    } else {
      ++full_bytes_;
    }
    low_ = (low_ & 0x00FFFFFFu) << 8;
  }

  void put(std::uint8_t byte) {
    if (at_ < out_.size()) {
      out_[at_++] = byte;
    } else if (byte != 0) {
      is_over_ = true;
    }
  }

  std::span<std::uint8_t> out_;
  std::size_t at_ = 0;
  std::uint64_t low_ = 0;
  std::uint32_t range_ = 0xFFFFFFFFu;
  std::uint8_t waiting_ = 0;
  bool has_waiting_ = false;
  std::size_t full_bytes_ = 0;
  bool is_over_ = false;
};

// Reads any bytes: what nobody wrote is read as some decisions.
class RangeReader {
 public:
  explicit RangeReader(std::span<const std::uint8_t> in) : in_(in) {
    for (int k = 0; k < 4; ++k) code_ = code_ << 8 | next();
  }

  // There is always a decision that can be read.
  static constexpr bool is_over() { return false; }

  // Whether the first bytes are ones that a writer can have written.
  bool is_possible() const { return code_ < range_; }

  // Returns the decision that was written.
  bool code(const Chance& chance, bool /*yes*/ = false) {
    const std::uint32_t bound = (range_ >> 16) * chance.parts();
    const bool yes = code_ < bound;
    if (yes) {
      range_ = bound;
    } else {
      code_ -= bound;
      range_ -= bound;
    }
    while (range_ < kNarrow) {
      range_ <<= 8;
      code_ = code_ << 8 | next();
    }
    return yes;
  }

  // Whether there are bytes left that are not zero.
  bool has_rest() const {
    return std::any_of(in_.begin() + static_cast<std::ptrdiff_t>(at_), in_.end(),
                       [](std::uint8_t byte) { return byte != 0; });
  }

 private:
  static constexpr std::uint32_t kNarrow = 1u << 24;

  std::uint32_t next() { return at_ < in_.size() ? in_[at_++] : 0u; }

  std::span<const std::uint8_t> in_;
  std::size_t at_ = 0;
  std::uint32_t code_ = 0;
  std::uint32_t range_ = 0xFFFFFFFFu;
};

}  // namespace gps
