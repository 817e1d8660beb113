// Framed files: any bytes as a whole file, and as the body of one.
#include "fuzz/fuzz.h"
#include "gps/core/files/framed.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr FileKind kKind = {"a fuzzed file", "gpscl fuzz\n", 2};
  const std::string input = text_of(data, size);
  std::string body;
  if (is_readable([&] { body = unframed(kKind, input).body; }))
    require(unframed(kKind, framed(kKind, body)).body == body, "a body that was read is kept");
  require(unframed(kKind, framed(kKind, input)).body == input, "any body is kept");
  return 0;
}

}  // namespace gps::fuzz
