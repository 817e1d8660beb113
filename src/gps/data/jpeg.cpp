#include "gps/data/jpeg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <csetjmp>
#include <cstdio>
#include <vector>

// Needs <cstdio> before it.
#include <jerror.h>
#include <jpeglib.h>

#include "gps/core/errors.h"

namespace gps {
namespace {

// libjpeg calls back on errors and must not return from there: it jumps back to decode().
struct Decoder {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  std::jmp_buf failed{};
  std::array<char, JMSG_LENGTH_MAX> message{};
};

extern "C" void give_up(j_common_ptr jpeg) {
  auto* decoder = static_cast<Decoder*>(jpeg->client_data);
  jpeg->err->format_message(jpeg, decoder->message.data());
  std::longjmp(decoder->failed, 1);
}

// Warnings that stand for lost pixels are errors here; others, such as bytes too many, are none.
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

enum class Outcome { decoded, damaged, other_sides, other_channels };

// Row by row into `pixels`, channels interleaved. Nothing here has a destructor, so jumping over it
// is allowed.
Outcome decode(Decoder& decoder, std::span<const std::uint8_t> file, const ImageShape& shape,
               std::uint8_t* pixels) {
  jpeg_decompress_struct& jpeg = decoder.jpeg;
  jpeg.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = &give_up;
  decoder.errors.emit_message = &judge;
  jpeg.client_data = &decoder;
  if (setjmp(decoder.failed) != 0) {  // NOLINT(cert-err52-cpp): libjpeg's way
    jpeg_destroy_decompress(&jpeg);
    return Outcome::damaged;
  }
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, file.data(), file.size());
  jpeg_read_header(&jpeg, TRUE);
  Outcome outcome = Outcome::decoded;
  if (jpeg.image_width != static_cast<JDIMENSION>(shape.width) ||
      jpeg.image_height != static_cast<JDIMENSION>(shape.height)) {
    outcome = Outcome::other_sides;
  } else if (jpeg.num_components != 1 && jpeg.num_components != shape.channels) {
    outcome = Outcome::other_channels;
  } else {
    jpeg.out_color_space = jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&jpeg);
    const std::size_t stride = static_cast<std::size_t>(jpeg.output_width) *
                               static_cast<std::size_t>(jpeg.output_components);
    while (jpeg.output_scanline < jpeg.output_height) {
      JSAMPROW row = pixels + jpeg.output_scanline * stride;
      jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
  }
  jpeg_destroy_decompress(&jpeg);
  return outcome;
}

}  // namespace

void decode_jpeg(std::span<const std::uint8_t> file, const std::filesystem::path& path,
                 const ImageShape& shape, std::span<std::uint8_t> out) {
  assert(out.size() == shape.bytes());
  assert(shape.channels == 1 || shape.channels == 3);
  Decoder decoder;
  std::vector<std::uint8_t> interleaved(shape.bytes());
  const Outcome outcome = decode(decoder, file, shape, interleaved.data());
  const auto refuse = [&](const std::string& reason) {
    throw DataError(fmt::format("{}: {}", path.string(), reason));
  };
  if (outcome == Outcome::damaged)
    refuse(fmt::format("is no intact JPEG image ({})", decoder.message.data()));
  if (outcome == Outcome::other_sides)
    refuse(fmt::format("is {} x {} pixels; expected {} x {}", decoder.jpeg.image_width,
                       decoder.jpeg.image_height, shape.width, shape.height));
  if (outcome == Outcome::other_channels)
    refuse(fmt::format("has {} channels; expected 1 or {}", decoder.jpeg.num_components,
                       shape.channels));
  const auto channels = static_cast<std::size_t>(decoder.jpeg.num_components);
  const std::size_t pixels = shape.pixels();
  for (std::size_t c = 0; c < static_cast<std::size_t>(shape.channels); ++c) {
    const std::size_t from = std::min(c, channels - 1);
    for (std::size_t p = 0; p < pixels; ++p) out[c * pixels + p] = interleaved[p * channels + from];
  }
}

}  // namespace gps
