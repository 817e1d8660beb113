#include "gps/core/files/framed.h"

#include <fmt/format.h>

#include "gps/core/files/files.h"

namespace gps {
namespace {

constexpr std::size_t kNumbersSize = 16;  // format, checksum, size

std::string bytes_of(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t k = 0; k < size; ++k) bytes += static_cast<char>(number >> (8 * k));
  return bytes;
}

std::uint64_t number_in(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < size; ++k)
    number |= std::uint64_t{static_cast<unsigned char>(bytes[at + k])} << (8 * k);
  return number;
}

std::uint32_t sum_of(const FileKind& kind, std::uint32_t format, const std::string& body) {
  if (format < kind.checked_from) return checksum(body);
  return checksum(body, checksum(bytes_of(format, 4) + bytes_of(body.size(), 8)));
}

}  // namespace

std::string framed(const FileKind& kind, const std::string& body) {
  return std::string(kind.words) + bytes_of(kind.format, 4) +
         bytes_of(sum_of(kind, kind.format, body), 4) + bytes_of(body.size(), 8) + body;
}

Unframed unframed(const FileKind& kind, const std::string& bytes) {
  const std::size_t start = kind.words.size() + kNumbersSize;
  if (bytes.size() < start) throw DataError("is damaged: too short");
  if (!bytes.starts_with(kind.words)) throw DataError(fmt::format("is not {}", kind.name));
  const auto format = static_cast<std::uint32_t>(number_in(bytes, kind.words.size(), 4));
  if (format == 0) throw DataError("is damaged: its format is 0");
  std::string body = bytes.substr(start);
  const std::uint64_t size = number_in(bytes, kind.words.size() + 8, 8);
  if (body.size() != size)
    throw DataError(fmt::format("is damaged: {} bytes instead of {}", body.size(), size));
  if (sum_of(kind, format, body) != number_in(bytes, kind.words.size() + 4, 4))
    throw DataError("is damaged: its checksum is wrong");
  if (format > kind.format) {  // which the checksum says too
    throw NewerFormat(fmt::format(
        "was written by a newer gpscl (format {}; this gpscl reads up to {}); use the newer gpscl",
        format, kind.format));
  }
  return {std::move(body), format};
}

}  // namespace gps
