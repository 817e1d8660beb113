// Archive: reads any bytes or refuses them, and what it read is the same when written and read
// again.
#include "fuzz/archived_values.h"
#include "fuzz/fuzz.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ArchivedValues values;
  if (!is_readable([&] { values = ArchivedValues::from(text_of(data, size)); })) return 0;
  const std::string bytes = values.bytes();
  require(ArchivedValues::from(bytes).bytes() == bytes, "an archive is read as it was written");
  return 0;
}

}  // namespace gps::fuzz
