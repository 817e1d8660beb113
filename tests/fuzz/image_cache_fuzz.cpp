// The file of decoded images: any bytes in its place are used or replaced.
#include "fuzz/cached_content.h"
#include "fuzz/fuzz.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path file = folder() / "decoded.images";
  put(file, text_of(data, size));
  const ImageCacheContent content = cached_content();
  const ImageStore images = cached_images(file, content, {});
  touch({images.get(), content.labels.size() * content.shape.bytes()});
  return 0;
}

}  // namespace gps::fuzz
