// GIF files made in memory.
#pragma once

#include <gif_lib.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gps::testing {

struct GifOptions {
  // Of two, four, eight, … colours.
  std::vector<GifColorType> palette = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {10, 20, 30}};
  int transparent = -1;  // index of a colour
  int left = 0;          // place of the frame on the screen
  int top = 0;
  int screen_width = 0;  // 0: the frame's
  int screen_height = 0;
  bool is_interlaced = false;
  bool has_own_palette = false;  // of the frame; that of the file is then all black
  int frames = 1;                // the others are of colour 0
};

// `indices` are the colours of the frame's pixels, row by row.
inline std::string gif_file(int width, int height, std::vector<std::uint8_t> indices,
                            const GifOptions& options = {}) {
  const auto check = [](int result) {
    if (result != GIF_OK) throw std::runtime_error("giflib");
  };
  std::string file;
  GifFileType* gif = EGifOpen(
      &file,
      [](GifFileType* of, const GifByteType* bytes, int count) {
        static_cast<std::string*>(of->UserData)
            ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
        return count;
      },
      nullptr);
  EGifSetGifVersion(gif, /*gif89=*/true);
  const auto colours = static_cast<int>(options.palette.size());
  ColorMapObject* palette = GifMakeMapObject(colours, options.palette.data());
  const std::vector<GifColorType> black(options.palette.size(), GifColorType{0, 0, 0});
  ColorMapObject* none = GifMakeMapObject(colours, black.data());
  check(EGifPutScreenDesc(gif, options.screen_width > 0 ? options.screen_width : width,
                          options.screen_height > 0 ? options.screen_height : height, 8, 0,
                          options.has_own_palette ? none : palette));
  for (int frame = 0; frame < options.frames; ++frame) {
    check(EGifPutExtension(gif, COMMENT_EXT_FUNC_CODE, 2, "hm"));
    if (options.transparent >= 0) {
      const std::array<GifByteType, 4> control = {1, 0, 0,
                                                  static_cast<GifByteType>(options.transparent)};
      check(EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, 4, control.data()));
    }
    check(EGifPutImageDesc(gif, options.left, options.top, width, height, options.is_interlaced,
                           options.has_own_palette ? palette : nullptr));
    std::vector<int> rows;
    for (const auto& [first, step] : {std::pair(0, 8), {4, 8}, {2, 4}, {1, 2}}) {
      for (int y = first; options.is_interlaced && y < height; y += step) rows.push_back(y);
    }
    for (int y = 0; !options.is_interlaced && y < height; ++y) rows.push_back(y);
    for (const int y : rows) check(EGifPutLine(gif, indices.data() + y * width, width));
    indices.assign(indices.size(), 0);
  }
  check(EGifCloseFile(gif, nullptr));
  GifFreeMapObject(palette);
  GifFreeMapObject(none);
  return file;
}

}  // namespace gps::testing
