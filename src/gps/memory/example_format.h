// How a memory stores an example, and the bytes that it takes. Everything that is kept of an
// example counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gps/memory/codecs/codec.h"
#include "gps/memory/logits_format.h"

namespace gps {

struct ExampleFormat {
  SharedCodec codec = raw_codec();
  LogitsFormat logits = LogitsFormat::float32;
};

// Two bytes for the label, two for the task (with one bit for the part of the memory that the
// example is in), and four for its number within the task.
inline constexpr std::size_t kBookkeepingBytes = 2 + 2 + 4;

// Returns the bytes of one example: its image as the codec stores it, `logits` logits (0: none),
// and kBookkeepingBytes.
std::size_t bytes_an_example(const ExampleFormat& format, const ImageShape& shape,
                             std::size_t logits);

// Returns how many examples fit into `budget` bytes. Throws OptionError about `memory` if not even
// one does, and about `codec` if it cannot store such images.
std::size_t examples_within(std::uint64_t budget, const ExampleFormat& format,
                            const ImageShape& shape, std::size_t logits);

}  // namespace gps
