#include "learn/labelled_data.h"

#include <fmt/format.h>

#include "gps/core/nearest.h"
#include "gps/core/printable.h"
#include "gps/core/tell_user.h"

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

void check_are_known(const std::vector<std::string>& classes, std::size_t known) {
  if (classes.size() == known) return;
  const std::vector<std::string> all(classes.begin(),
                                     classes.begin() + static_cast<std::ptrdiff_t>(known));
  throw UsageError(fmt::format("class '{}' is not known to this state; {}", classes[known],
                               all.empty()
                                   ? "the state has no classes yet"
                                   : fmt::format("the most similar of its {} classes is '{}'",
                                                 known, nearest(classes[known], all))));
}

}  // namespace gps::cli
