// JPEG files made in memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// Needs <cstdio> before it.
#include <jpeglib.h>

#include "gps/data/dataset.h"

namespace gps::testing {

// The file of an image whose channels are the given grey values, one for all its pixels: one value
// makes a grey file, three a colour file, four a file for printing with Adobe's marker (CMYK, or
// YCCK if that is wished).
inline std::string jpeg_file(const std::vector<std::uint8_t>& values, int width = 64,
                             int height = 64, bool is_progressive = false, bool is_ycck = false) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &buffer, &size);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.input_components = static_cast<int>(values.size());
  jpeg.in_color_space = values.size() == 1   ? JCS_GRAYSCALE
                        : values.size() == 3 ? JCS_RGB
                                             : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  if (is_ycck) jpeg_set_colorspace(&jpeg, JCS_YCCK);
  jpeg_set_quality(&jpeg, 95, TRUE);
  if (is_progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<std::uint8_t> row;
  for (int x = 0; x < width; ++x) row.insert(row.end(), values.begin(), values.end());
  for (int y = 0; y < height; ++y) {
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&jpeg, &pointer, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string file(reinterpret_cast<char*>(buffer), size);
  std::free(buffer);
  return file;
}

// The file with a segment after the marker that begins it: APP1 (0xE1) for EXIF.
inline std::string with_segment(const std::string& file, std::uint8_t marker,
                                const std::string& content) {
  const std::size_t length = content.size() + 2;
  const std::string head = {'\xFF', static_cast<char>(marker), static_cast<char>(length >> 8),
                            static_cast<char>(length & 0xFF)};
  return file.substr(0, 2) + head + content + file.substr(2);
}

// The content of an EXIF segment with an orientation, in either byte order.
inline std::string exif_segment(int orientation, bool is_little_endian = true) {
  const auto number = [&](unsigned value, int bytes) {
    std::string text;
    for (int k = 0; k < bytes; ++k)
      text += static_cast<char>(value >> 8 * (is_little_endian ? k : bytes - 1 - k) & 0xFF);
    return text;
  };
  const auto entry = [&](unsigned tag, unsigned value) {  // one value of two bytes
    return number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 2) + number(0, 2);
  };
  return std::string("Exif\0\0", 6) + (is_little_endian ? "II" : "MM") + number(42, 2) +
         number(8, 4) + number(2, 2) + entry(0x0103, 6) +
         entry(0x0112, static_cast<unsigned>(orientation)) + number(0, 4);
}

}  // namespace gps::testing
