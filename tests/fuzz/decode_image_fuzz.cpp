// Image files of any kind and size as images of one shape. The first three bytes are the shape.
#include "gps/data/images/decode_image.h"

#include "fuzz/fuzz.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kShapeBytes = 3;
  if (size < kShapeBytes) return 0;
  const ImageShape shape{data[0] % 2 == 0 ? 1 : 3, 1 + data[1], 1 + data[2]};
  const std::span file(data + kShapeBytes, size - kShapeBytes);
  const bool has_header = is_readable([&] { read_image_header(file, "fuzz"); });
  std::vector<std::uint8_t> out(shape.bytes());
  if (is_readable([&] { decode_image(file, "fuzz", shape, out); }))
    require(has_header, "an image has a header");
  return 0;
}

}  // namespace gps::fuzz
