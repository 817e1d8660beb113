// Gzipped downloads: the checksum of what they contain.
#include "fuzz/fuzz.h"
#include "gps/data/sets/checksum.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  const std::filesystem::path file = folder() / "file.gz";
  put(file, text_of(data, size));
  is_readable([&] {
    const std::optional<std::string> sum = sha256_of_content(file, kMost);
    require(!sum || sum->size() == 64, "a checksum has 64 digits");
    require(sha256_of(file).size() == 64, "a checksum has 64 digits");
  });
  return 0;
}

}  // namespace gps::fuzz
