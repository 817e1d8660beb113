// Messages for the user, on standard error. A message never ends the work: what cannot be written,
// for example because the disk is full, is dropped, and nothing here throws.
#pragma once

#include <fmt/core.h>

#include <string_view>

namespace gps {

// Writes the text as it is. For help, and for what is drawn on a terminal: names in it must be
// printable().
void show_user(std::string_view text) noexcept;

// Formats a message as fmt::format does, and writes it as one line. Names of files and classes may
// contain anything, so the line is made printable().
void vtell_user(fmt::string_view form, fmt::format_args values) noexcept;
template <typename... Values>
void tell_user(fmt::format_string<Values...> form, Values&&... values) noexcept {
  vtell_user(form, fmt::make_format_args(values...));
}

// Writes a message of several lines: a line end with two blanks after it is kept, and all else is
// made printable(). Names in the message must be printable() already, so that they add no lines.
void tell_user_lines(std::string_view lines) noexcept;

}  // namespace gps
