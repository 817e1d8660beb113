#include "learn/labelled_data.h"

#include <fmt/format.h>

#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"

namespace gps::cli {

LoadHooks hooks_for(Executor& executor, const StopFlag& stop, LoadDisplay& display) {
  return {.executor = &executor, .stop = &stop, .progress = [&](const LoadProgress& now) {
            display.update(now);
          }};
}

void settle_bad(const std::string& data, const std::vector<BadImage>& bad, std::size_t all,
                bool skips) {
  if (bad.empty()) return;
  if (!skips && bad.size() == 1) {
    throw DataError(fmt::format("{}: {}; --skip-bad leaves such images out",
                                bad.front().path.string(), bad.front().reason));
  }
  if (!skips) {
    throw ManyProblems(
        fmt::format("{}: {}\n  repair or remove them, or leave them out with --skip-bad",
                    printable(data), bad_images_text(bad, all)));
  }
  for (const BadImage& image : bad)
    tell_user("gpscl: skipped {}: {}", image.path.string(), image.reason);
}

}  // namespace gps::cli
