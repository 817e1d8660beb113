#include "gps/core/work/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "gps/core/hash.h"

namespace gps {
namespace {

// The first letter of a message says what the message holds.
constexpr char kValues = 'v';
constexpr char kCheck = 'c';
constexpr char kEnd = 'e';

std::string bytes_of(const Team::Words& words) {
  std::string bytes(words.size() * sizeof(std::uint64_t), '\0');
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Team::Words words_of(const std::string& bytes) {
  Team::Words words(bytes.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint64_t));
  return words;
}

}  // namespace

std::vector<std::string> Team::exchange(char kind, const std::string& content) {
  std::vector<std::string> all = exchange(kind + content);
  const std::string own = Interrupted().what();
  for (std::size_t member = 0; member < all.size(); ++member) {
    std::string& text = all[member];
    const char its_kind = text.at(0);
    text.erase(0, 1);
    if (its_kind == kind && (kind != kEnd || text == content)) continue;
    is_over_ = true;
    // A member that ends with its own exception throws that exception, in together().
    if (kind == kEnd && !content.empty()) continue;
    if (its_kind == kEnd && text == own) throw Interrupted();
    if (its_kind == kEnd && !text.empty())
      throw TeamError(fmt::format("{}: {}", name_of(member), text));
    throw TeamError(
        fmt::format("{} and {} do not execute the same steps", name_of(member), name_of(rank())));
  }
  return all;
}

std::vector<Team::Words> Team::gather(const Words& mine) {
  std::vector<Words> all;
  for (const std::string& bytes : exchange(kValues, bytes_of(mine))) all.push_back(words_of(bytes));
  return all;
}

void Team::agree(std::uint64_t fingerprint, const std::string& what) {
  const std::vector<std::string> all = exchange(kCheck, bytes_of({fingerprint}));
  const auto other = std::find_if(all.begin(), all.end(),
                                  [&](const std::string& text) { return text != all.front(); });
  if (other == all.end()) return;
  is_over_ = true;  // all members see and throw the same
  throw TeamError(
      fmt::format("{} are not the same on {} as on {}; all ranks need the same program and the "
                  "same kind of CPU",
                  what, name_of(static_cast<std::size_t>(other - all.begin())), name_of(0)));
}

void Team::leave(const std::string& reason) { exchange(kEnd, reason); }

std::vector<std::size_t> assign(std::size_t items, std::span<const std::uint64_t> workers) {
  assert(!workers.empty());
  std::vector<std::uint64_t> load(workers.size(), 0);
  std::vector<std::size_t> owners(items);
  for (std::size_t& owner : owners) {
    owner = 0;
    for (std::size_t member = 1; member < workers.size(); ++member) {
      if (load[member] * workers[owner] < load[owner] * workers[member]) owner = member;
    }
    ++load[owner];
  }
  return owners;
}

std::uint64_t fingerprint_of(std::span<const float> values) {
  std::uint64_t hash = kFnvStart;
  for (const float value : values) {
    hash = fnv1a_step(hash, std::bit_cast<std::uint32_t>(value));
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace gps
