// Event files for TensorBoard. They are written here directly, because only small parts are needed
// of the TFRecord framing and of two protocol buffer messages (tensorflow/core/util/event.proto and
// framework/summary.proto).
//
// A record: the length of its data as 8 bytes, little-endian; a masked CRC-32C of these 8 bytes;
// the data; a masked CRC-32C of the data. The data is an Event: wall_time (field 1, double), step
// (2), and either file_version (3), in the first record, or a summary (5), here of one value (1):
// its tag (1), and simple_value (2, float) or an image (4: height 1, width 2, colour space 3, PNG
// bytes 4).
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "gps/experiments/export/png.h"

namespace gps {

// CRC-32C (Castagnoli), as in RFC 3720.
std::uint32_t crc32c(std::string_view bytes);

// The position of an event: after how many tasks, and at what time (seconds since 1970).
struct EventTime {
  std::int64_t step = 0;
  double seconds = 0;
};

class EventFile {
 public:
  // Starts a new file, replacing an old one. TensorBoard reads files with "tfevents" in their
  // names. All functions throw DataError if the file cannot be written. Written events can be read
  // at once.
  EventFile(const std::filesystem::path& path, double seconds);

  void scalar(std::string_view tag, const EventTime& when, double value);
  void image(std::string_view tag, const EventTime& when, const Picture& picture);

 private:
  void append(std::string_view event);

  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace gps
