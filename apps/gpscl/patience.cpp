#include "patience.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "gps/core/errors.h"
#include "gps/core/text/numbers.h"

namespace gps::cli {

std::optional<std::chrono::milliseconds> patience_as_told() {
  constexpr double kMost = 1e6;  // in milliseconds an int still, as SQLite takes it
  const char* text =
      std::getenv("GPSCL_PATIENCE");  // NOLINT(concurrency-mt-unsafe): nobody sets variables
  if (text == nullptr) return std::nullopt;
  const std::optional<double> seconds = parse_number<double>(text);
  if (!seconds || !(*seconds >= 0 && *seconds <= kMost))
    throw UsageError(
        fmt::format("GPSCL_PATIENCE must be seconds between 0 and {:.0f}, got '{}'", kMost, text));
  return std::chrono::milliseconds(std::llround(1000 * *seconds));
}

Store::Options store_options(Store::Options options) {
  options.patience = patience_as_told().value_or(options.patience);
  return options;
}

}  // namespace gps::cli
