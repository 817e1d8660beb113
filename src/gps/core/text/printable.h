// Texts from outside, such as the names of files and classes, as a terminal may show them.
#pragma once

#include <string>
#include <string_view>

namespace gps {

// Returns whether the text is UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);

// Returns the text with control characters escaped, because a terminal would obey them: "\x1b" for
// ESC, "\n" for a line end. Bytes that are not UTF-8 are escaped as well. All other text is
// unchanged.
std::string printable(std::string_view text);

}  // namespace gps
