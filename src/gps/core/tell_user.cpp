#include "gps/core/tell_user.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "gps/core/text/printable.h"

namespace gps {
namespace {

constexpr std::string_view kContinues = "\n  ";

}  // namespace

void show_user(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);  // not fmt::print, which throws
  std::fflush(stderr);
}

void vtell_user(fmt::string_view form, fmt::format_args values) noexcept {
  try {
    show_user(printable(fmt::vformat(form, values)) + "\n");
  } catch (const std::exception&) {  // out of memory: there is nothing to say it with
  }
}

void tell_user_lines(std::string_view lines) noexcept {
  try {
    std::string_view rest = lines;
    std::string text;
    for (std::size_t end = 0; (end = rest.find(kContinues)) != std::string_view::npos;) {
      text += printable(rest.substr(0, end));
      text += kContinues;
      rest.remove_prefix(end + kContinues.size());
    }
    show_user(text + printable(rest) + "\n");
  } catch (const std::exception&) {  // out of memory: there is nothing to say it with
  }
}

}  // namespace gps
