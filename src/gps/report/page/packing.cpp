#include "gps/report/page/packing.h"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <utility>

namespace gps {

struct Gzip::Stream : z_stream {};

Gzip::Gzip() : stream_(std::make_unique<Stream>()) {
  constexpr int kGzip = 15 + 16;  // the largest window, and a gzip header instead of a zlib header
  if (deflateInit2(stream_.get(), /*level=*/6, Z_DEFLATED, kGzip, /*memLevel=*/8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

Gzip::~Gzip() { deflateEnd(stream_.get()); }

void Gzip::deflate_all(std::string_view bytes, int flush) {
  // zlib only reads the input, but its pointer is not const.
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_->avail_in = static_cast<uInt>(bytes.size());
  std::array<char, 1 << 16> room;
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(room.data());
    stream_->avail_out = static_cast<uInt>(room.size());
    if (deflate(stream_.get(), flush) == Z_STREAM_ERROR)
      throw std::runtime_error("zlib cannot pack the report");
    packed_.append(room.data(), room.size() - stream_->avail_out);
  } while (stream_->avail_out == 0);
}

void Gzip::add(std::string_view bytes) { deflate_all(bytes, Z_NO_FLUSH); }

std::string Gzip::finish() {
  deflate_all("", Z_FINISH);
  return std::move(packed_);
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
