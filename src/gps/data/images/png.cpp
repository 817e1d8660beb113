#include "gps/data/images/png.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>

#include "gps/core/errors.h"
#include "gps/data/images/channels.h"

namespace gps {
namespace {

// libpng calls give_up() on errors and does not allow it to return, so it jumps back to the try_...
// functions.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> file) : rest_(file) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &give_up, &pass_over);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) throw std::bad_alloc();
  }
  ~Reader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Throws DataError if there is no intact header.
  void read_header() {
    if (!try_header()) refuse();
  }
  // Writes the rows one after another to `values`. REQUIRES: `values` has room for them.
  void read_rows(std::uint8_t* values) {
    if (!try_rows(values)) refuse();
  }

  ImageHeader header() const {
    const bool is_colour = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR) != 0;
    return {static_cast<int>(png_get_image_width(png_, info_)),
            static_cast<int>(png_get_image_height(png_, info_)), is_colour ? 3 : 1};
  }
  // Number of channels after all transformations, including transparency.
  std::size_t channels() const { return png_get_channels(png_, info_); }

  // Deflate expands a byte to at most 1032 bytes, so a short file cannot hold a large image.
  bool can_be_whole(std::size_t file_size) const {
    constexpr std::uint64_t kMostExpansion = 1032;
    const ImageHeader image = header();
    const std::uint64_t bits = static_cast<std::uint64_t>(image.width) *
                               png_get_channels(png_, info_) * png_get_bit_depth(png_, info_);
    return file_size * kMostExpansion >= static_cast<std::uint64_t>(image.height) * (bits / 8 + 1);
  }

  // REQUIRES: called between read_header() and read_rows().
  void want_bytes() {
    if (!try_want_bytes()) refuse();
  }

 private:
  static void give_up(png_structp png, png_const_charp message) {
    auto* self = static_cast<Reader*>(png_get_error_ptr(png));
    std::strncpy(self->message_.data(), message, self->message_.size() - 1);
    png_longjmp(png, 1);
  }
  static void pass_over(png_structp /*png*/, png_const_charp /*warning*/) {}
  static void give_bytes(png_structp png, png_bytep out, std::size_t count) {
    auto* self = static_cast<Reader*>(png_get_io_ptr(png));
    if (count > self->rest_.size()) png_error(png, "the file ends early");
    std::memcpy(out, self->rest_.data(), count);
    self->rest_ = self->rest_.subspan(count);
  }

  // The next three functions have no locals with destructors, so jumping back into them is allowed.
  bool try_header() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp): libpng's way
    constexpr png_uint_32 kMostSide = 65535;
    constexpr png_alloc_size_t kLargestChunk = 1u << 20;
    png_set_read_fn(png_, this, &give_bytes);
    png_set_user_limits(png_, kMostSide, kMostSide);
    png_set_chunk_malloc_max(png_, kLargestChunk);
    // Skips texts, profiles and times without unpacking them.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(png_, info_);
    return true;
  }

  bool try_want_bytes() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp)
    png_set_scale_16(png_);
    png_set_expand(png_);  // palettes, grey values of few bits, and transparency
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  bool try_rows(std::uint8_t* values) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp)
    const std::size_t stride = png_get_rowbytes(png_, info_);
    const png_uint_32 height = png_get_image_height(png_, info_);
    const int passes = png_get_interlace_type(png_, info_) == PNG_INTERLACE_ADAM7 ? 7 : 1;
    for (int pass = 0; pass < passes; ++pass) {
      for (png_uint_32 y = 0; y < height; ++y) png_read_row(png_, values + y * stride, nullptr);
    }
    png_read_end(png_, nullptr);
    return true;
  }

  [[noreturn]] void refuse() const {
    throw DataError(fmt::format("is not an intact PNG image ({})", message_.data()));
  }

  std::span<const std::uint8_t> rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::array<char, 128> message_{};
};

}  // namespace

bool is_png(std::span<const std::uint8_t> file) {
  constexpr std::array<std::uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  return file.size() >= kSignature.size() &&
         std::equal(kSignature.begin(), kSignature.end(), file.begin());
}

ImageHeader read_png_header(std::span<const std::uint8_t> file) {
  Reader reader(file);
  reader.read_header();
  return reader.header();
}

Pixels read_png(std::span<const std::uint8_t> file, int most_channels) {
  Reader reader(file);
  reader.read_header();
  const ImageHeader header = reader.header();
  const std::size_t pixels =
      static_cast<std::size_t>(header.width) * static_cast<std::size_t>(header.height);
  if (pixels > kMostPixels) {
    throw DataError(fmt::format("is {} x {} pixels; expected at most {} in all", header.width,
                                header.height, kMostPixels));
  }
  if (!reader.can_be_whole(file.size()))
    throw DataError("is not an intact PNG image (the file ends early)");
  reader.want_bytes();
  Pixels image{header.width, header.height, std::min(header.channels, most_channels), {}};
  const std::size_t channels = reader.channels();
  image.values.resize(pixels * channels);
  reader.read_rows(image.values.data());
  const auto wanted = static_cast<std::size_t>(image.channels);
  reduce_channels(image.values, channels, wanted);
  return image;
}

}  // namespace gps
