// Bytes made small, and fit to stand in a text.
#pragma once

#include <string>
#include <string_view>

namespace gps {

std::string gzipped(std::string_view bytes);

std::string base64(std::string_view bytes);  // RFC 4648, padded

}  // namespace gps
