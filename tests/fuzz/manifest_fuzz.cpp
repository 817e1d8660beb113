// Manifests: CSV files that name images.
#include <algorithm>

#include "fuzz/fuzz.h"
#include "gps/data/images/image_listing.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path file = folder() / "images.csv";
  put(file, text_of(data, size));
  ImageListing listing;
  if (!is_readable([&] { listing = list_images(file); })) return 0;
  require(!listing.files.empty(), "a listing names images");
  std::vector<std::filesystem::path> paths;
  for (const ImageFile& each : listing.files) paths.push_back(each.path);
  std::sort(paths.begin(), paths.end());
  require(std::adjacent_find(paths.begin(), paths.end()) == paths.end(), "no path comes twice");
  return 0;
}

}  // namespace gps::fuzz
