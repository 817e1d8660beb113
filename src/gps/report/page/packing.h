// Compresses bytes, and encodes them as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace gps {

// Compresses bytes piece by piece, and knows the compressed size.
class Gzip {
 public:
  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void add(std::string_view bytes);
  // Returns the size so far, without some kilobytes that zlib still holds.
  std::size_t size() const { return packed_.size(); }
  std::string finish();  // returns everything; nothing can be added afterwards

 private:
  void deflate_all(std::string_view bytes, int flush);

  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::string packed_;
};

std::string base64(std::string_view bytes);  // RFC 4648, padded

}  // namespace gps
