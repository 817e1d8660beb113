#include "gps/report/packing.h"

#include <zlib.h>

#include <cstdint>
#include <new>
#include <stdexcept>

namespace gps {

std::string gzipped(std::string_view bytes) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;  // the largest window, and gzip's header instead of zlib's
  if (deflateInit2(&stream, /*level=*/6, Z_DEFLATED, kGzip, /*memLevel=*/8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  // zlib takes what it only reads as if it could change it.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int outcome = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (outcome != Z_STREAM_END) throw std::runtime_error("zlib cannot pack the report");
  return packed;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t three = 0;
    for (std::size_t b = 0; b < 3; ++b) {
      three <<= 8;
      if (k + b < bytes.size()) three |= static_cast<unsigned char>(bytes[k + b]);
    }
    for (std::size_t digit = 0; digit < 4; ++digit) {
      const bool is_padding = k + digit > bytes.size();
      text += is_padding ? '=' : kDigits[three >> (18 - 6 * digit) & 63];
    }
  }
  return text;
}

}  // namespace gps
