// Which image is meant: a hash of its pixels, as people write it and as files are found by it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gps/memory/memory.h"

namespace gps {

// Hashes of images (core/hash.h), ascending, each once.
using ImageHashes = std::vector<std::uint64_t>;

ImageHashes in_order(std::vector<std::uint64_t> hashes);
bool has_hash(const ImageHashes& hashes, std::uint64_t hash);

// Sixteen hexadecimal digits, and back. Nothing if the text is something else.
std::string hash_text(std::uint64_t hash);
std::optional<std::uint64_t> parse_hash(std::string_view text);

// Returns the hash of an image's pixels, and of what a memory would replay in their place, if its
// codec changes them.
std::vector<std::uint64_t> hashes_of(std::span<const std::uint8_t> pixels, const Memory& memory);

// Returns the hash of a stored image: of its pixels as they are replayed.
std::uint64_t hash_of(const Memory& memory, const Example& example);

}  // namespace gps
