// The list of checksums beside an installed data set of one file.
#include "fuzz/fuzz.h"
#include "gps/data/sets/installed_sums.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const PublishedSet& set = published_set("mnist");
  const std::filesystem::path place = folder() / "set";
  put(place / "file", "content");
  put(place / kSumsFile, text_of(data, size));
  is_readable([&] { check_sums(set, place, {}); });
  return 0;
}

}  // namespace gps::fuzz
