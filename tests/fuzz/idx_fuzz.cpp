// IDX files, plain or gzipped: a file of images and a file of labels.
#include "fuzz/fuzz.h"
#include "gps/data/readers/idx.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int kClasses = 10;
  const std::vector<std::string> parts = parts_of(text_of(data, size), 2);
  const std::filesystem::path images = folder() / "images";
  const std::filesystem::path labels = folder() / "labels";
  put(images, parts[0]);
  put(labels, parts[1]);
  Dataset read;
  if (!is_readable([&] { read = read_idx(images, labels, kClasses); })) return 0;
  require(read.size() > 0 && read.shape().bytes() > 0, "a set has images with pixels");
  std::vector<std::uint8_t> scratch(read.shape().bytes());
  for (std::size_t i = 0; i < read.size(); ++i) {
    require(read.label(i) < kClasses, "labels are below the number of classes");
    touch({read.image(i, scratch), read.shape().bytes()});
  }
  return 0;
}

}  // namespace gps::fuzz
