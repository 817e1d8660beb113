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
// makes a grey file, three a colour file, four a file for printing.
inline std::string jpeg_file(const std::vector<std::uint8_t>& values, int width = 64,
                             int height = 64, bool is_progressive = false) {
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

}  // namespace gps::testing
