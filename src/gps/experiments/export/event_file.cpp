#include "gps/experiments/export/event_file.h"

#include <array>
#include <bit>

#include "gps/core/errors.h"

namespace gps {
namespace {

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1u) ^ ((value & 1u) != 0 ? 0x82F63B78u : 0u);
    table[byte] = value;
  }
  return table;
}();

// TFRecord masks checksums, because data may itself contain checksums.
std::uint32_t masked(std::uint32_t crc) { return std::rotr(crc, 15) + 0xA282EAD8u; }

template <typename Number>
std::string little_endian(Number value) {
  std::string bytes;
  for (std::size_t k = 0; k < sizeof(value); ++k)
    bytes += static_cast<char>(static_cast<unsigned char>(value >> (8 * k)));
  return bytes;
}

// The fields of a message. A key is the field's number times eight, plus the kind of its value.
std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80u; value >>= 7u) bytes += static_cast<char>((value & 0x7Fu) | 0x80u);
  return bytes + static_cast<char>(value);
}

std::string key(unsigned field, unsigned kind) { return varint(8 * field + kind); }

std::string whole(unsigned field, std::int64_t value) {
  return key(field, 0) + varint(static_cast<std::uint64_t>(value));
}

std::string real(unsigned field, double value) {
  return key(field, 1) + little_endian(std::bit_cast<std::uint64_t>(value));
}

std::string real(unsigned field, float value) {
  return key(field, 5) + little_endian(std::bit_cast<std::uint32_t>(value));
}

std::string bytes(unsigned field, std::string_view value) {
  return key(field, 2) + varint(value.size()) + std::string(value);
}

std::string summary_event(const EventTime& when, std::string_view tag, const std::string& value) {
  const std::string summary = bytes(1, bytes(1, tag) + value);
  return real(1, when.seconds) + whole(2, when.step) + bytes(5, summary);
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes)
    crc = kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xFFu] ^ (crc >> 8u);
  return ~crc;
}

EventFile::EventFile(const std::filesystem::path& path, double seconds)
    : path_(path), out_(path, std::ios::binary | std::ios::trunc) {
  append(real(1, seconds) + bytes(3, "brain.Event:2"));
}

void EventFile::scalar(std::string_view tag, const EventTime& when, double value) {
  append(summary_event(when, tag, real(2, static_cast<float>(value))));
}

void EventFile::image(std::string_view tag, const EventTime& when, const Picture& picture) {
  const std::string image = whole(1, picture.height) + whole(2, picture.width) +
                            whole(3, picture.channels) + bytes(4, png_of(picture));
  append(summary_event(when, tag, bytes(4, image)));
}

void EventFile::append(std::string_view event) {
  const std::string length = little_endian(static_cast<std::uint64_t>(event.size()));
  out_ << length << little_endian(masked(crc32c(length))) << event
       << little_endian(masked(crc32c(event)));
  out_.flush();
  if (!out_)
    throw DataError(
        path_.string() +
        ": cannot be written; is the disk full, or is the folder missing or read-only?");
}

}  // namespace gps
