#include "gps/core/rng.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "gps/core/hash.h"

namespace gps {
namespace {

// The finaliser of SplitMix64: a bijection whose output bits each depend on all input bits.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::uint64_t hash(std::string_view text) { return mix(fnv1a(text)); }

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

Rng::Rng(std::uint64_t seed) : key_(mix(seed)), stream_(mix(~seed)) {}

Rng Rng::forked(std::string_view purpose) const {
  const std::uint64_t name = hash(purpose);
  return {mix(key_ ^ name), mix(stream_ + mix(name))};
}

Rng Rng::numbered(std::uint64_t number) const {
  const std::uint64_t name = mix(number ^ 0xA5A5A5A5A5A5A5A5u);
  return {mix(key_ ^ name), mix(stream_ + mix(name))};
}

std::uint32_t Rng::next_u32() {
  if (used_ == kWords) {
    words_ =
        philox4x32({static_cast<std::uint32_t>(block_), static_cast<std::uint32_t>(block_ >> 32),
                    static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                   {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)});
    ++block_;
    used_ = 0;
  }
  return words_[used_++];
}

std::uint64_t Rng::next_u64() {
  const std::uint64_t high = next_u32();
  return (high << 32) | next_u32();
}

double Rng::uniform() { return static_cast<double>(next_u64() >> 11) * 0x1.0p-53; }

std::uint64_t Rng::index(std::uint64_t n) {
  assert(n > 0);
  if (n <= 0xFFFFFFFFu) {
    const auto bound = static_cast<std::uint32_t>(n);
    std::uint64_t product = std::uint64_t{next_u32()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = (0u - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = std::uint64_t{next_u32()} * bound;
      }
    }
    return product >> 32;
  }
  // Rare: more than 2^32 outcomes. Rejects draws beyond the largest multiple of n.
  const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % n + 1) % n;
  std::uint64_t draw = next_u64();
  while (draw > limit) draw = next_u64();
  return draw % n;
}

std::vector<std::uint32_t> Rng::permutation(std::size_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  shuffle(std::span(order));
  return order;
}

void Rng::distinct(std::size_t count, std::size_t n, std::vector<std::uint32_t>& out) {
  assert(count <= n);
  out.clear();
  // Searching a short list is faster than any set; searching a long one takes quadratic time.
  constexpr std::size_t kShort = 64;
  std::vector<bool> is_taken(count > kShort ? n : 0);
  for (std::size_t top = n - count; top < n; ++top) {
    const auto draw = static_cast<std::uint32_t>(index(top + 1));
    const bool taken =
        is_taken.empty() ? std::find(out.begin(), out.end(), draw) != out.end() : is_taken[draw];
    out.push_back(taken ? static_cast<std::uint32_t>(top) : draw);
    if (!is_taken.empty()) is_taken[out.back()] = true;
  }
}

}  // namespace gps
