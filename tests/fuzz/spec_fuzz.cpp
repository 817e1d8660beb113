// Specs as JSON: what was read is the same when it is written and read again.
#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "gps/experiments/result.h"
#include "gps/experiments/spec/spec.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = nlohmann::json::parse(text_of(data, size), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return 0;
  Spec spec;
  if (!is_readable([&] { spec = spec_from_json(json); })) return 0;
  const nlohmann::json written = to_json(spec);
  require(to_json(spec_from_json(written)) == written, "a spec is read as it was written");
  is_accepted([&] { validate(spec); });
  require(!file_name(spec, 0).empty(), "a spec has a file name");
  return 0;
}

}  // namespace gps::fuzz
