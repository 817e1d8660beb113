#include "gps/data/images/decode_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include "gps/core/errors.h"
#include "gps/core/text/printable.h"
#include "gps/data/images/gif.h"
#include "gps/data/images/jpeg.h"
#include "gps/data/images/png.h"
#include "gps/data/images/resize.h"
#include "gps/data/images/webp.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

// What can be read.
struct Kind {
  bool (*is_kind)(std::span<const std::uint8_t> file);
  ImageHeader (*read_header)(std::span<const std::uint8_t> file);
  Pixels (*read)(std::span<const std::uint8_t> file, int most_channels);
};
constexpr std::array kKinds = {
    Kind{&is_jpeg, &read_jpeg_header, &read_jpeg}, Kind{&is_png, &read_png_header, &read_png},
    Kind{&is_webp, &read_webp_header, &read_webp}, Kind{&is_gif, &read_gif_header, &read_gif}};

// Returns null if it is none.
const Kind* find_kind(std::span<const std::uint8_t> file) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const Kind& kind) { return kind.is_kind(file); });
  return found == kKinds.end() ? nullptr : &*found;
}

const Kind& kind_of(std::span<const std::uint8_t> file) {
  const Kind* const kind = find_kind(file);
  if (file.empty()) throw DataError("is empty");
  if (kind == nullptr) throw DataError("is neither JPEG, PNG, WebP nor GIF");
  return *kind;
}

// The functions below throw DataError with the reason alone; naming() adds the file's name.
void decode(std::span<const std::uint8_t> file, const ImageShape& shape,
            std::span<std::uint8_t> out) {
  assert(out.size() == shape.bytes());
  resize(kind_of(file).read(file, shape.channels), shape, out);
}

class InputFile {
 public:
  // Opens without blocking, so that a pipe without a writer does not hang.
  explicit InputFile(const fs::path& path)
      : value_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~InputFile() {
    if (value_ >= 0) close(value_);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

void read_whole(const fs::path& path, std::vector<std::uint8_t>& bytes) {
  constexpr std::size_t kLargestFile = std::size_t{1} << 28;
  const auto fail = [](int reason) {
    throw DataError("cannot be read: " + std::generic_category().message(reason));
  };
  const InputFile file(path);
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode)) throw DataError("is not a file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > kLargestFile)
    throw DataError(fmt::format("has {} bytes; expected at most {}", size, kLargestFile));
  bytes.resize(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = read(file.get(), bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
}

template <typename Work>
void naming(const std::string& name, const Work& work) {
  try {
    work();
  } catch (const DataError& error) {
    throw ImageError(name, error.what());
  }
}

}  // namespace

bool is_image(std::span<const std::uint8_t> file) { return find_kind(file) != nullptr; }

void decode_image(std::span<const std::uint8_t> file, const std::string& name,
                  const ImageShape& shape, std::span<std::uint8_t> out) {
  naming(name, [&] { decode(file, shape, out); });
}

ImageHeader read_image_header(std::span<const std::uint8_t> file, const std::string& name) {
  ImageHeader header;
  naming(name, [&] { header = kind_of(file).read_header(file); });
  return header;
}

void read_image_file(const fs::path& path, std::vector<std::uint8_t>& bytes) {
  naming(path.string(), [&] { read_whole(path, bytes); });
}

DecodedImages decode_images(std::span<const ImageFile> files, const ImageShape& shape,
                            const LoadHooks& hooks) {
  const std::size_t size = shape.bytes();
  DecodedImages images;
  images.bytes.resize(files.size() * size);
  std::vector<std::string> reasons(files.size());  // "" for a good image
  for_each_part(files.size(), "decoding images", hooks, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = begin; i < end; ++i) {
      try {
        read_whole(files[i].path, bytes);
        decode(bytes, shape, std::span(images.bytes).subspan(i * size, size));
      } catch (const DataError& error) {
        reasons[i] = error.what();
      } catch (const std::bad_alloc&) {
        reasons[i] = "needs more memory than is available";
      }
    }
  });
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!reasons[i].empty()) {
      images.bad.push_back({files[i].path, reasons[i]});
      continue;
    }
    const std::size_t k = images.good.size();
    if (k < i) std::memcpy(images.bytes.data() + k * size, images.bytes.data() + i * size, size);
    images.good.push_back(i);
  }
  images.bytes.resize(images.good.size() * size);
  return images;
}

std::string bad_images_text(std::span<const BadImage> bad, std::size_t of) {
  constexpr std::size_t kMostLines = 20;
  std::string text = fmt::format("{} of {} images cannot be read", bad.size(), of);
  for (const BadImage& image : bad.first(std::min(bad.size(), kMostLines)))
    text += fmt::format("\n  {}: {}", printable(image.path.string()), printable(image.reason));
  if (bad.size() > kMostLines) text += fmt::format("\n  … and {} more", bad.size() - kMostLines);
  return text;
}

}  // namespace gps
