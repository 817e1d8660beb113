#include "gps/memory/example_format.h"

#include <fmt/format.h>

#include "gps/core/option.h"

namespace gps {

std::size_t bytes_an_example(const ExampleFormat& format, const ImageShape& shape,
                             std::size_t logits) {
  return format.codec->stored_bytes(shape) + logits_bytes(format.logits, logits) +
         kBookkeepingBytes;
}

std::size_t examples_within(std::uint64_t budget, const ExampleFormat& format,
                            const ImageShape& shape, std::size_t logits) {
  format.codec->check(shape);
  const std::size_t each = bytes_an_example(format, shape, logits);
  if (budget >= each) return budget / each;
  const std::size_t of_logits = logits_bytes(format.logits, logits);
  throw OptionError(
      "memory",
      fmt::format(
          "must be at least {}, got {}: one example takes {} bytes for its image{} and {} "
          "for its label, task and number",
          text_of(ByteCount{each}), text_of(ByteCount{budget}), format.codec->stored_bytes(shape),
          of_logits == 0 ? "" : fmt::format(", {} for its logits", of_logits), kBookkeepingBytes));
}

}  // namespace gps
