// WebP files: the header, and the image in grey and in colour.
#include "fuzz/fuzz.h"
#include "gps/data/images/webp.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span file(data, size);
  is_webp(file);
  ImageHeader header;
  const bool has_header = is_readable([&] { header = read_webp_header(file); });
  for (const int channels : {1, 3}) {
    Pixels image;
    if (!is_readable([&] { image = read_webp(file, channels); })) continue;
    require(has_header, "an image has a header");
    require(image.width == header.width && image.height == header.height,
            "the header has the size of the image");
    require(image.values.size() == static_cast<std::size_t>(image.width) *
                                       static_cast<std::size_t>(image.height) *
                                       static_cast<std::size_t>(image.channels),
            "every pixel has its values");
    require(image.channels <= channels, "there are no more channels than wanted");
  }
  return 0;
}

}  // namespace gps::fuzz
