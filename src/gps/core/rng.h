// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011).
//
// An Rng is a small value: the name of a stream and a position in it. `fork("purpose", i)` returns
// another stream. That stream depends only on the parent's name, not on how far the parent has been
// read. So adding a draw in one place never shifts the draws in another, and work may be done in
// any order or on any thread with the same result.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gps/core/files/archive.h"

namespace gps {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  // Returns the child stream with this name and these numbers.
  template <std::integral... Numbers>
  Rng fork(std::string_view purpose, Numbers... numbers) const {
    Rng child = forked(purpose);
    ((child = child.numbered(static_cast<std::uint64_t>(numbers))), ...);
    return child;
  }

  std::uint32_t next_u32();
  std::uint64_t next_u64();

  // Uniform on [0, 1), with 53 random bits.
  double uniform();

  // Uniform on {0, …, n - 1}, without bias (Lemire 2019). REQUIRES: n > 0.
  std::uint64_t index(std::uint64_t n);

  // Puts the items into a uniformly random order (Fisher-Yates).
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[index(i)]);
  }

  // Returns 0, …, n - 1 in uniformly random order.
  std::vector<std::uint32_t> permutation(std::size_t n);

  // Draws `count` distinct numbers below n, every subset equally likely (Floyd 1987), in no
  // particular order. Writes them into `out`, whose storage is reused from call to call. REQUIRES:
  // count <= n.
  void distinct(std::size_t count, std::size_t n, std::vector<std::uint32_t>& out);

  // Saves or restores the name and the position (core/files/archive.h).
  void persist(Archive& archive) {
    archive(key_, stream_, block_);
    archive.between(used_, 0, kWords, "position in a random stream");
    archive(words_);
  }

  friend bool operator==(const Rng&, const Rng&) = default;

 private:
  Rng(std::uint64_t key, std::uint64_t stream) : key_(key), stream_(stream) {}
  Rng forked(std::string_view purpose) const;
  Rng numbered(std::uint64_t number) const;

  static constexpr std::uint32_t kWords = 4;  // of a block

  std::uint64_t key_ = 0;
  std::uint64_t stream_ = 0;
  std::uint64_t block_ = 0;      // position: index of the next block of four words
  std::uint32_t used_ = kWords;  // number of words in `words_` already returned
  std::array<std::uint32_t, kWords> words_{};
};

// One block of Philox4x32-10; public for its known-answer test.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

}  // namespace gps
