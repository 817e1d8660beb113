// Names as they are compared: Unicode has several sequences of characters for the same text.
#pragma once

#include <string>
#include <string_view>

namespace gps {

// Returns the text in Unicode's normal form C: "é" is one character, not an e and an accent. Text
// that is not UTF-8 is returned as it is.
std::string normal_form(std::string_view text);

// Returns the text in normal form, without differences of letter case and without blanks at both
// ends. For finding names that look alike.
std::string without_case(std::string_view text);

}  // namespace gps
