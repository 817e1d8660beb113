#include "gps/data/images/gif.h"

#include <fmt/format.h>
#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "gps/core/errors.h"
#include "gps/data/images/channels.h"

namespace gps {
namespace {

extern "C" int give_gif_bytes(GifFileType* gif, GifByteType* out, int count) {
  auto* rest = static_cast<std::span<const std::uint8_t>*>(gif->UserData);
  const std::size_t given = std::min(static_cast<std::size_t>(count), rest->size());
  if (given > 0) std::memcpy(out, rest->data(), given);
  *rest = rest->subspan(given);
  return static_cast<int>(given);
}

struct CloseGif {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};

// Reads a file up to its first frame, and then the rows of that.
class FirstFrame {
 public:
  explicit FirstFrame(std::span<const std::uint8_t> file) : rest_(file) {
    int error = D_GIF_SUCCEEDED;
    gif_.reset(DGifOpen(&rest_, &give_gif_bytes, &error));
    if (gif_ == nullptr) refuse_gif(error);
    find();
    if (place().Width < 1 || place().Height < 1)
      throw DataError("is not an intact GIF image (its first frame has no pixels)");
    if (palette() == nullptr) throw DataError("is not an intact GIF image (it has no palette)");
    fits_ = place().Left + place().Width <= gif_->SWidth &&
            place().Top + place().Height <= gif_->SHeight;
  }
  FirstFrame(const FirstFrame&) = delete;
  FirstFrame& operator=(const FirstFrame&) = delete;

  ImageHeader header() const {
    const GifColorType* colours = palette()->Colors;
    const bool is_grey =
        std::all_of(colours, colours + palette()->ColorCount, [](const GifColorType& colour) {
          return colour.Red == colour.Green && colour.Green == colour.Blue;
        });
    return {fits_ ? gif_->SWidth : place().Width, fits_ ? gif_->SHeight : place().Height,
            is_grey ? 1 : 3};
  }

  // Paints the frame on white pixels of three channels. REQUIRES: they have the size of header();
  // called once.
  void paint(std::vector<std::uint8_t>& pixels, std::size_t width) {
    struct Pass {
      int first;
      int step;
    };
    const std::vector<Pass> passes = place().Interlace
                                         ? std::vector<Pass>{{0, 8}, {4, 8}, {2, 4}, {1, 2}}
                                         : std::vector<Pass>{{0, 1}};
    const auto left = static_cast<std::size_t>(fits_ ? place().Left : 0);
    const auto top = static_cast<std::size_t>(fits_ ? place().Top : 0);
    std::vector<GifPixelType> row(static_cast<std::size_t>(place().Width));
    for (const Pass& pass : passes) {
      for (int y = pass.first; y < place().Height; y += pass.step) {
        check(DGifGetLine(gif_.get(), row.data(), place().Width));
        paint_row(row, pixels.data() + ((top + static_cast<std::size_t>(y)) * width + left) * 3);
      }
    }
  }

 private:
  const GifImageDesc& place() const { return gif_->Image; }
  const ColorMapObject* palette() const {
    return place().ColorMap != nullptr ? place().ColorMap : gif_->SColorMap;
  }

  void find() {
    while (true) {
      GifRecordType type = UNDEFINED_RECORD_TYPE;
      check(DGifGetRecordType(gif_.get(), &type));
      if (type == IMAGE_DESC_RECORD_TYPE) {
        check(DGifGetImageDesc(gif_.get()));
        return;
      }
      if (type != EXTENSION_RECORD_TYPE)
        throw DataError("is not an intact GIF image (it has no frame)");
      read_extension();
    }
  }

  // A block begins with its length.
  void read_extension() {
    int code = 0;
    GifByteType* block = nullptr;
    check(DGifGetExtension(gif_.get(), &code, &block));
    if (code == GRAPHICS_EXT_FUNC_CODE && block != nullptr && block[0] >= 4)
      transparent_ = (block[1] & 1) != 0 ? block[4] : NO_TRANSPARENT_COLOR;
    while (block != nullptr) check(DGifGetExtensionNext(gif_.get(), &block));
  }

  void paint_row(const std::vector<GifPixelType>& row, std::uint8_t* out) const {
    for (const GifPixelType index : row) {
      if (index != transparent_) {
        if (index >= palette()->ColorCount) {
          throw DataError(fmt::format("is not an intact GIF image (a pixel has colour {} of {})",
                                      index, palette()->ColorCount));
        }
        const GifColorType& colour = palette()->Colors[index];
        out[0] = colour.Red;
        out[1] = colour.Green;
        out[2] = colour.Blue;
      }
      out += 3;
    }
  }

  void check(int result) const {
    if (result != GIF_OK) refuse_gif(gif_->Error);
  }

  [[noreturn]] void refuse_gif(int error) const {
    if (error == D_GIF_ERR_NOT_ENOUGH_MEM) throw std::bad_alloc();
    const char* reason = rest_.empty() ? "the file ends early" : GifErrorString(error);
    throw DataError(fmt::format("is not an intact GIF image ({})",
                                reason != nullptr ? reason : "its data is damaged"));
  }

  std::span<const std::uint8_t> rest_;
  std::unique_ptr<GifFileType, CloseGif> gif_;
  int transparent_ = NO_TRANSPARENT_COLOR;
  bool fits_ = false;  // into the screen
};

}  // namespace

bool is_gif(std::span<const std::uint8_t> file) {
  constexpr std::size_t kStamp = 6;
  if (file.size() < kStamp) return false;
  const std::string_view stamp(reinterpret_cast<const char*>(file.data()), kStamp);
  return stamp == GIF87_STAMP || stamp == GIF89_STAMP;
}

ImageHeader read_gif_header(std::span<const std::uint8_t> file) {
  return FirstFrame(file).header();
}

Pixels read_gif(std::span<const std::uint8_t> file, int most_channels) {
  FirstFrame frame(file);
  const ImageHeader header = frame.header();
  const std::size_t pixels =
      static_cast<std::size_t>(header.width) * static_cast<std::size_t>(header.height);
  if (pixels > kMostPixels) {
    throw DataError(fmt::format("is {} x {} pixels; expected at most {} in all", header.width,
                                header.height, kMostPixels));
  }
  // A code of 12 bits stands for at most 4096 pixels. A file that is too short for the size it
  // announces is refused before memory is allocated.
  constexpr std::size_t kMostPixelsPerByte = 4096;
  if (pixels / kMostPixelsPerByte > file.size())
    throw DataError("is not an intact GIF image (the file ends early)");
  Pixels image{header.width, header.height, std::min(header.channels, most_channels), {}};
  image.values.resize(pixels * 3, 255);
  frame.paint(image.values, static_cast<std::size_t>(header.width));
  reduce_channels(image.values, 3, static_cast<std::size_t>(image.channels));
  return image;
}

}  // namespace gps
