#include "gps/data/images/channels.h"

#include <cassert>

namespace gps {
namespace {

std::uint8_t over_white(unsigned value, unsigned alpha) {
  return static_cast<std::uint8_t>((value * alpha + 255 * (255 - alpha) + 127) / 255);
}

std::uint8_t grey_of(unsigned red, unsigned green, unsigned blue) {
  return static_cast<std::uint8_t>((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

}  // namespace

void reduce_channels(std::vector<std::uint8_t>& values, std::size_t from, std::size_t to) {
  assert(to <= from);
  if (from == to) return;
  const std::size_t pixels = values.size() / from;
  const std::size_t colours = from - (from % 2 == 0 ? 1 : 0);
  for (std::size_t p = 0; p < pixels; ++p) {
    std::uint8_t* in = values.data() + p * from;
    std::uint8_t* out = values.data() + p * to;
    if (colours < from) {
      for (std::size_t c = 0; c < colours; ++c) in[c] = over_white(in[c], in[colours]);
    }
    if (to < colours) {
      out[0] = grey_of(in[0], in[1], in[2]);
    } else {
      for (std::size_t c = 0; c < to; ++c) out[c] = in[c];
    }
  }
  values.resize(pixels * to);
}

void cmyk_to_rgb(std::vector<std::uint8_t>& values, bool is_inverted) {
  const std::size_t pixels = values.size() / 4;
  for (std::size_t p = 0; p < pixels; ++p) {
    const std::uint8_t* in = values.data() + p * 4;
    std::uint8_t* out = values.data() + p * 3;  // never after `in`
    const auto light = [&](std::size_t k) -> unsigned {
      return is_inverted ? in[k] : 255u - in[k];
    };
    const unsigned black = light(3);
    for (std::size_t c = 0; c < 3; ++c)
      out[c] = static_cast<std::uint8_t>((light(c) * black + 127) / 255);
  }
  values.resize(pixels * 3);
}

}  // namespace gps
