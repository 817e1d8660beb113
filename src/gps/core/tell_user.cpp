#include "gps/core/tell_user.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

namespace gps {

void show_user(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);  // not fmt::print, which throws
  std::fflush(stderr);
}

void vtell_user(fmt::string_view form, fmt::format_args values) noexcept {
  try {
    show_user(fmt::vformat(form, values) + "\n");
  } catch (const std::exception&) {  // out of memory: there is nothing to say it with
  }
}

}  // namespace gps
