#include "gps/experiments/export/png.h"

#include <png.h>

#include <cassert>
#include <stdexcept>

namespace gps {

std::string png_of(const Picture& picture) {
  assert(picture.pixels.size() == static_cast<std::size_t>(picture.height) *
                                      static_cast<std::size_t>(picture.width) *
                                      static_cast<std::size_t>(picture.channels));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(picture.height);
  image.width = static_cast<png_uint_32>(picture.width);
  image.format = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  const int is_done = png_image_write_to_memory(&image, bytes.data(), &size,
                                                /*convert_to_8_bit=*/0, picture.pixels.data(),
                                                /*row_stride=*/0, /*colormap=*/nullptr);
  if (is_done == 0) throw std::runtime_error(std::string("libpng: ") + image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace gps
