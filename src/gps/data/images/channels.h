// Turns the channels of decoded pixels into grey or colour, in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gps {

// Converts pixels of `from` values to pixels of `to` values. The values are grey or colour, then
// transparency if `from` is even. Transparent pixels are blended with white. Colour becomes grey as
// (299 R + 587 G + 114 B) / 1000, rounded. REQUIRES: from is 1 to 4, to is 1 or 3, to <= from.
void reduce_channels(std::vector<std::uint8_t>& values, std::size_t from, std::size_t to);

// Converts pixels of four inks (cyan, magenta, yellow, black) to red, green and blue. A value says
// how much ink there is, or, if it is inverted, how much light is left. No colour profile is used:
// red is what cyan and black leave of 255, rounded, and so on.
void cmyk_to_rgb(std::vector<std::uint8_t>& values, bool is_inverted);

}  // namespace gps
