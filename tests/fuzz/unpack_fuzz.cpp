// Archives to unpack: a zip or a tar file, by the first byte. Whatever is in them, nothing is
// written outside the folder, and no links.
#include <iterator>

#include "fuzz/fuzz.h"
#include "gps/data/sets/unpack.h"

namespace gps::fuzz {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t entries_in(const fs::path& place) {
  return std::distance(fs::directory_iterator(place), fs::directory_iterator());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const fs::path place = folder() / "place";  // has the archive and the folder, nothing else
  const fs::path target = place / "unpacked";
  fs::remove_all(place);
  fs::create_directories(target);
  const fs::path archive = place / (data[0] % 2 == 0 ? "archive.zip" : "archive.tar.gz");
  put(archive, text_of(data + 1, size - 1));
  UnpackLimits limits;
  limits.entries = 50;
  limits.bytes = std::uint64_t{1} << 20;
  is_readable([&] { unpack(archive, target, {}, limits); });
  require(entries_in(place) == 2 && entries_in(folder()) == 1, "nothing is written outside");
  std::uint64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(target)) {
    require(!entry.is_symlink(), "there are no links");
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  require(bytes <= limits.bytes, "no more is unpacked than is allowed");
  return 0;
}

}  // namespace gps::fuzz
