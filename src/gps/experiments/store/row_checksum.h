// A checksum of the values of a row of the store. It does not depend on how numbers are written.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>

#include "gps/core/files/files.h"

namespace gps {

class RowChecksum {
 public:
  RowChecksum& add(const std::string& text) {
    bytes_ += fmt::format("s{}:", text.size());
    bytes_ += text;
    return *this;
  }
  RowChecksum& add(std::int64_t number) {
    bytes_ += fmt::format("i{};", number);
    return *this;
  }
  RowChecksum& add(double number) {
    // SQLite keeps whole numbers without the sign of a zero.
    const double kept = number == 0 ? 0.0 : number;
    bytes_ += fmt::format("d{:x};", std::bit_cast<std::uint64_t>(kept));
    return *this;
  }

  // Returns eight hexadecimal digits: the CRC-32.
  std::string text() const { return fmt::format("{:08x}", checksum(bytes_)); }

 private:
  std::string bytes_;
};

}  // namespace gps
