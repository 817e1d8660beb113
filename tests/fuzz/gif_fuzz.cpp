// GIF files: the header, and the image in grey and in colour.
#include "fuzz/fuzz.h"
#include "gps/data/images/gif.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_image_file({data, size}, is_gif, read_gif_header, read_gif);
  return 0;
}

}  // namespace gps::fuzz
