// PNG files made in memory.
#pragma once

#include <png.h>

#include <csetjmp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gps::testing {

struct PngOptions {
  int colour_type = PNG_COLOR_TYPE_GRAY;
  int bit_depth = 8;
  bool is_interlaced = false;
  std::vector<png_color> palette = {};
  std::vector<std::uint8_t> palette_alpha = {};  // for a palette
  int transparent_grey = -1;                     // for grey without alpha
  std::string text = {};                         // a comment, compressed
};

// `rows` are the bytes of all rows as PNG packs them: values of 16 bits high byte first, values of
// fewer than 8 bits from the high end of a byte on, each row in whole bytes.
inline std::string png_file(int width, int height, std::vector<std::uint8_t> rows,
                            const PngOptions& options = {}) {
  std::string file;
  png_structp png = png_create_write_struct(
      PNG_LIBPNG_VER_STRING, nullptr,
      [](png_structp, png_const_charp message) { throw std::runtime_error(message); },
      [](png_structp, png_const_charp) {});
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp of, png_bytep bytes, std::size_t count) {
        static_cast<std::string*>(png_get_io_ptr(of))
            ->append(reinterpret_cast<const char*>(bytes), count);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height),
               options.bit_depth, options.colour_type,
               options.is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!options.palette.empty())
    png_set_PLTE(png, info, options.palette.data(), static_cast<int>(options.palette.size()));
  if (!options.palette_alpha.empty())
    png_set_tRNS(png, info, options.palette_alpha.data(),
                 static_cast<int>(options.palette_alpha.size()), nullptr);
  png_color_16 transparent{};
  if (options.transparent_grey >= 0) {
    transparent.gray = static_cast<png_uint_16>(options.transparent_grey);
    png_set_tRNS(png, info, nullptr, 0, &transparent);
  }
  png_text comment{};
  if (!options.text.empty()) {
    comment.compression = PNG_TEXT_COMPRESSION_zTXt;
    comment.key = const_cast<char*>("Comment");
    comment.text = const_cast<char*>(options.text.c_str());
    comment.text_length = options.text.size();
    png_set_text(png, info, &comment, 1);
  }
  png_write_info(png, info);
  const std::size_t stride = png_get_rowbytes(png, info);
  if (rows.size() != stride * static_cast<std::size_t>(height))
    throw std::runtime_error("rows of another size");
  std::vector<png_bytep> pointers;
  for (int y = 0; y < height; ++y)
    pointers.push_back(rows.data() + static_cast<std::size_t>(y) * stride);
  png_write_image(png, pointers.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

// Every pixel of the same value: one makes a grey file, three a colour file.
inline std::string plain_png(const std::vector<std::uint8_t>& values, int width, int height) {
  std::vector<std::uint8_t> rows;
  for (int p = 0; p < width * height; ++p) rows.insert(rows.end(), values.begin(), values.end());
  return png_file(width, height, rows,
                  {.colour_type = values.size() == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB});
}

}  // namespace gps::testing
