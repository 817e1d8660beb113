#include "halt.h"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gps/core/tell_user.h"
#include "gps/core/text/numbers.h"

namespace gps::cli {
namespace {

enum class Halt { stop, kill, pause };

struct Told {
  Halt how = Halt::stop;
  std::uint64_t point = 0;
};

std::atomic<std::uint64_t> points =
    0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

const char* variable() { return std::getenv("GPSCL_HALT"); }

Told parse(std::string_view text) {
  const std::size_t at = text.find('@');
  const std::string_view how = text.substr(0, at);
  const std::string_view count =
      at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  Told told;
  told.point = parse_number<std::uint64_t>(count).value_or(0);
  const bool is_known = how == "stop" || how == "kill" || how == "pause";
  if (!is_known || told.point == 0)
    throw UsageError(fmt::format(
        "GPSCL_HALT must be count, or stop@N, kill@N or pause@N with N of at least 1, got '{}'",
        text));
  told.how = how == "stop" ? Halt::stop : how == "kill" ? Halt::kill : Halt::pause;
  return told;
}

}  // namespace

void halt_as_told(StopFlag& flag) {
  if (variable() == nullptr) return;
  const std::string_view text = variable();
  if (text == "count") {
    flag.at_stop_points([] { ++points; });
    return;
  }
  flag.at_stop_points([&flag, told = parse(text)] {
    if (++points != told.point) return;
    switch (told.how) {
      case Halt::stop:
        flag.request();
        break;
      case Halt::kill:
        std::raise(SIGKILL);
        break;
      case Halt::pause:
        tell_user("gpscl: paused at stop point {}; SIGCONT continues", told.point);
        std::raise(SIGSTOP);
        break;
    }
  });
}

void tell_stop_points() {
  if (variable() == nullptr || std::string_view(variable()) != "count") return;
  tell_user("gpscl: {} stop points", points.load());
}

}  // namespace gps::cli
