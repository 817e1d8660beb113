#include "gps/data/images/jpeg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <csetjmp>
#include <cstdio>
#include <cstring>

// jpeglib.h needs <cstdio> before it.
#include <jerror.h>
#include <jpeglib.h>

#include "gps/core/errors.h"
#include "gps/data/images/channels.h"
#include "gps/data/images/exif_orientation.h"

namespace gps {
namespace {

// libjpeg calls give_up() on errors and does not allow it to return, so it jumps back to
// try_header() or try_rows().
struct Decoder {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf failed{};
  std::array<char, JMSG_LENGTH_MAX> message{};

  Decoder() = default;
  ~Decoder() { jpeg_destroy_decompress(&jpeg); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  [[noreturn]] void refuse() const {
    throw DataError(fmt::format("is not an intact JPEG image ({})", message.data()));
  }
};

extern "C" void give_up(j_common_ptr jpeg) {
  auto* decoder = static_cast<Decoder*>(jpeg->client_data);
  jpeg->err->format_message(jpeg, decoder->message.data());
  std::longjmp(decoder->failed, 1);
}

// Treats warnings that mean lost pixels as errors. Ignores others, such as superfluous bytes.
extern "C" void judge(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  switch (jpeg->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
      give_up(jpeg);
      break;
    default:
      break;
  }
}

// A small progressive file may have thousands of scans, and each costs a pass over all pixels.
extern "C" void limit_scans(j_common_ptr jpeg) {
  constexpr int kMostScans = 100;
  const auto* decompress = reinterpret_cast<j_decompress_ptr>(jpeg);
  if (decompress->input_scan_number <= kMostScans) return;
  auto* decoder = static_cast<Decoder*>(jpeg->client_data);
  std::strncpy(decoder->message.data(), "too many scans", decoder->message.size() - 1);
  std::longjmp(decoder->failed, 1);
}

// The next two functions have no locals with destructors, so jumping back into them is allowed.
bool try_header(Decoder& decoder, std::span<const std::uint8_t> file) {
  jpeg_decompress_struct& jpeg = decoder.jpeg;
  jpeg.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = &give_up;
  decoder.errors.emit_message = &judge;
  jpeg.client_data = &decoder;
  if (setjmp(decoder.failed) != 0) return false;  // NOLINT(cert-err52-cpp): libjpeg's way
  jpeg_create_decompress(&jpeg);
  constexpr long kMostMemory = 1L << 29;  // kMostPixels of colour, progressive, need 0.4 GB
  jpeg.mem->max_memory_to_use = kMostMemory;
  decoder.progress.progress_monitor = &limit_scans;
  jpeg.progress = &decoder.progress;
  jpeg_mem_src(&jpeg, file.data(), file.size());
  jpeg_read_header(&jpeg, TRUE);
  return true;
}

// Writes the pixels row by row, with interleaved channels.
bool try_rows(Decoder& decoder, J_COLOR_SPACE wanted, std::uint8_t* pixels) {
  jpeg_decompress_struct& jpeg = decoder.jpeg;
  if (setjmp(decoder.failed) != 0) return false;  // NOLINT(cert-err52-cpp)
  jpeg.out_color_space = wanted;
  jpeg_start_decompress(&jpeg);
  const std::size_t stride = static_cast<std::size_t>(jpeg.output_width) *
                             static_cast<std::size_t>(jpeg.output_components);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = pixels + jpeg.output_scanline * stride;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

// Reads the header. Throws DataError with the reason.
ImageHeader begin(Decoder& decoder, std::span<const std::uint8_t> file) {
  if (!try_header(decoder, file)) decoder.refuse();
  return {static_cast<int>(decoder.jpeg.image_width), static_cast<int>(decoder.jpeg.image_height),
          decoder.jpeg.num_components};
}

// A Huffman-coded block of 8 x 8 pixels takes at least one bit, so a byte holds at most 512 pixels;
// the limit leaves a margin of four. A file that is too short for the size it announces is refused
// before memory is allocated.
bool can_be_whole(std::size_t pixels, std::size_t file_size) {
  constexpr std::size_t kMostPixelsPerByte = 2048;
  return pixels / kMostPixelsPerByte <= file_size;
}

Pixels finish(Decoder& decoder, const ImageHeader& header, std::size_t file_size,
              int most_channels) {
  const std::size_t pixels =
      static_cast<std::size_t>(header.width) * static_cast<std::size_t>(header.height);
  if (pixels > kMostPixels) {
    throw DataError(fmt::format("is {} x {} pixels; expected at most {} in all", header.width,
                                header.height, kMostPixels));
  }
  if (!can_be_whole(pixels, file_size))
    throw DataError("is not an intact JPEG image (the file ends early)");
  Pixels image{header.width, header.height, std::min(header.channels, most_channels), {}};
  const bool is_cmyk = header.channels == 4;
  image.values.resize(pixels * static_cast<std::size_t>(is_cmyk ? 4 : image.channels));
  const J_COLOR_SPACE wanted = is_cmyk ? JCS_CMYK : image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  if (!try_rows(decoder, wanted, image.values.data())) decoder.refuse();
  if (is_cmyk) {
    // Adobe's programs, which leave a marker, store inverted values, and others follow them.
    cmyk_to_rgb(image.values, decoder.jpeg.saw_Adobe_marker != FALSE);
    reduce_channels(image.values, 3, static_cast<std::size_t>(image.channels));
  }
  return image;
}

void check_channels(const ImageHeader& header) {
  if (header.channels == 1 || header.channels == 3 || header.channels == 4) return;
  throw DataError(
      fmt::format("has {} channels; expected 1 (grey), 3 (colour) or 4 (CMYK)", header.channels));
}

}  // namespace

bool is_jpeg(std::span<const std::uint8_t> file) {
  return file.size() >= 3 && file[0] == 0xFF && file[1] == 0xD8 && file[2] == 0xFF;
}

ImageHeader read_jpeg_header(std::span<const std::uint8_t> file) {
  Decoder decoder;
  const ImageHeader header = begin(decoder, file);
  check_channels(header);
  const ImageHeader stored{header.width, header.height, std::min(header.channels, 3)};
  return turned_upright(stored, exif_orientation(file));
}

Pixels read_jpeg(std::span<const std::uint8_t> file, int most_channels) {
  Decoder decoder;
  const ImageHeader header = begin(decoder, file);
  check_channels(header);
  return turned_upright(finish(decoder, header, file.size(), most_channels),
                        exif_orientation(file));
}

void decode_jpeg(std::span<const std::uint8_t> file, const std::filesystem::path& path,
                 const ImageShape& shape, std::span<std::uint8_t> out) try {
  assert(out.size() == shape.bytes());
  assert(shape.channels == 1 || shape.channels == 3);
  Decoder decoder;
  const ImageHeader header = begin(decoder, file);
  if (header.width != shape.width || header.height != shape.height) {
    throw DataError(fmt::format("is {} x {} pixels; expected {} x {}", header.width, header.height,
                                shape.width, shape.height));
  }
  if (header.channels != 1 && header.channels != shape.channels) {
    throw DataError(
        fmt::format("has {} channels; expected 1 or {}", header.channels, shape.channels));
  }
  const Pixels image = finish(decoder, header, file.size(), shape.channels);
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t pixels = shape.pixels();
  for (std::size_t c = 0; c < static_cast<std::size_t>(shape.channels); ++c) {
    const std::size_t from = std::min(c, channels - 1);
    for (std::size_t p = 0; p < pixels; ++p)
      out[c * pixels + p] = image.values[p * channels + from];
  }
} catch (const DataError& error) {
  throw DataError(fmt::format("{}: {}", path.string(), error.what()));
}

}  // namespace gps
