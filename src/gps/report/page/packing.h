// Bytes made small, and fit to stand in a text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace gps {

// Packs bytes as they come, and knows how much it has become.
class Gzip {
 public:
  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void add(std::string_view bytes);
  // So far, without some kilobytes that are still in work.
  std::size_t size() const { return packed_.size(); }
  std::string finish();  // all of it; nothing can be added any more

 private:
  void deflate_all(std::string_view bytes, int flush);

  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::string packed_;
};

std::string base64(std::string_view bytes);  // RFC 4648, padded

}  // namespace gps
