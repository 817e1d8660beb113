// Event files read back, by other means than they were written: bit by bit, message by message.
#pragma once

#include <gtest/gtest.h>
#include <png.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gps::testing {

// CRC-32C one bit at a time, masked as TFRecord has it.
inline std::uint32_t slow_masked_crc(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1u) != 0 ? (crc >> 1) ^ 0x82F63B78u : crc >> 1;
  }
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

inline std::uint64_t little_endian_at(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t k = 0; k < size; ++k)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes.at(at + k))) << (8 * k);
  return value;
}

// The data of all records, their frames checked.
inline std::vector<std::string> records_of(const std::string& file) {
  std::vector<std::string> records;
  for (std::size_t at = 0; at < file.size();) {
    const auto size = static_cast<std::size_t>(little_endian_at(file, at, 8));
    EXPECT_EQ(little_endian_at(file, at + 8, 4), slow_masked_crc(file.substr(at, 8)));
    if (at + 12 + size + 4 > file.size()) throw std::runtime_error("the last record is cut off");
    records.push_back(file.substr(at + 12, size));
    EXPECT_EQ(little_endian_at(file, at + 12 + size, 4), slow_masked_crc(records.back()));
    at += 12 + size + 4;
  }
  return records;
}

// A message's fields: numbers as their bits, everything else as bytes.
struct ProtoField {
  unsigned kind = 0;
  std::uint64_t number = 0;
  std::string bytes = {};
};

inline std::multimap<unsigned, ProtoField> fields_of(const std::string& message) {
  std::multimap<unsigned, ProtoField> fields;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(message.at(at++));
      value |= static_cast<std::uint64_t>(byte & 0x7Fu) << shift;
      if ((byte & 0x80u) == 0) return value;
    }
  };
  while (at < message.size()) {
    const std::uint64_t key = varint();
    ProtoField field{static_cast<unsigned>(key & 7u)};
    if (field.kind == 0) {
      field.number = varint();
    } else if (field.kind == 2) {
      const auto size = static_cast<std::size_t>(varint());
      field.bytes = message.substr(at, size);
      EXPECT_EQ(field.bytes.size(), size);
      at += size;
    } else {
      const std::size_t size = field.kind == 1 ? 8 : 4;
      EXPECT_TRUE(field.kind == 1 || field.kind == 5) << field.kind;
      field.number = little_endian_at(message, at, size);
      at += size;
    }
    fields.emplace(static_cast<unsigned>(key >> 3), field);
  }
  return fields;
}

struct DecodedPng {
  int height = 0;
  int width = 0;
  bool is_colour = false;
  std::vector<std::uint8_t> pixels;  // red, green, blue of each
};

inline DecodedPng decode_png(const std::string& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0)
    throw std::runtime_error(image.message);
  DecodedPng decoded{static_cast<int>(image.height),
                     static_cast<int>(image.width),
                     (image.format & PNG_FORMAT_FLAG_COLOR) != 0,
                     {}};
  image.format = PNG_FORMAT_RGB;
  decoded.pixels.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, decoded.pixels.data(), 0, nullptr) == 0)
    throw std::runtime_error(image.message);
  return decoded;
}

struct ReadEvent {
  double seconds = 0;
  std::int64_t step = 0;
  std::string version = {};
  std::string tag = {};
  std::optional<float> value = {};
  std::optional<DecodedPng> image = {};
};

inline ReadEvent event_of(const std::string& record) {
  ReadEvent event;
  const auto fields = fields_of(record);
  event.seconds = std::bit_cast<double>(fields.find(1)->second.number);
  if (fields.contains(2)) event.step = static_cast<std::int64_t>(fields.find(2)->second.number);
  if (fields.contains(3)) event.version = fields.find(3)->second.bytes;
  if (!fields.contains(5)) return event;
  const auto summary = fields_of(fields.find(5)->second.bytes);
  EXPECT_EQ(summary.count(1), 1u);
  const auto value = fields_of(summary.find(1)->second.bytes);
  event.tag = value.find(1)->second.bytes;
  if (value.contains(2)) {
    EXPECT_EQ(value.find(2)->second.kind, 5u) << "a float";
    event.value = std::bit_cast<float>(static_cast<std::uint32_t>(value.find(2)->second.number));
  }
  if (value.contains(4)) {
    const auto image = fields_of(value.find(4)->second.bytes);
    event.image = decode_png(image.find(4)->second.bytes);
    EXPECT_EQ(image.find(1)->second.number, static_cast<std::uint64_t>(event.image->height));
    EXPECT_EQ(image.find(2)->second.number, static_cast<std::uint64_t>(event.image->width));
    EXPECT_EQ(image.find(3)->second.number, event.image->is_colour ? 3u : 1u);
  }
  return event;
}

inline std::vector<ReadEvent> events_of(const std::string& file) {
  std::vector<ReadEvent> events;
  for (const std::string& record : records_of(file)) events.push_back(event_of(record));
  return events;
}

// The values of a tag by step; a step must not come twice.
inline std::map<std::int64_t, double> curve(const std::vector<ReadEvent>& events,
                                            const std::string& tag) {
  std::map<std::int64_t, double> values;
  for (const ReadEvent& event : events) {
    if (event.tag != tag || !event.value) continue;
    EXPECT_TRUE(values.emplace(event.step, *event.value).second) << tag << " " << event.step;
  }
  return values;
}

}  // namespace gps::testing
