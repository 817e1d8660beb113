#include "gps/core/text/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace gps {
namespace {

// Returns the number of bytes of the character that the text begins with, or 0 if that is not
// UTF-8. REQUIRES: the text is not empty.
std::size_t length_of_first(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if (byte(k) >> 6 != 2) return 0;
  }
  // The second byte tells forms that are longer than needed, halves of UTF-16 pairs, and numbers
  // beyond the last character.
  const unsigned char second = byte(1);
  const bool is_wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return is_wrong ? 0 : length;
}

// Returns whether it is one of U+0000 to U+001F and U+007F to U+009F. Some terminals obey the upper
// ones like sequences that begin with ESC.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

std::string escaped_byte(char byte) {
  switch (byte) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = length_of_first(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = length_of_first(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && !is_control(character)) {
      shown += character;
    } else {
      for (const char byte : character) shown += escaped_byte(byte);
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace gps
