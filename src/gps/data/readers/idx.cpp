#include "gps/data/readers/idx.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "gps/core/errors.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestFile = std::uint64_t{4} << 30;  // no IDX set of images is larger

// Reads a file through zlib, which returns plain files unchanged and checks gzipped ones against
// their checksum.
class IdxFile {
 public:
  explicit IdxFile(const fs::path& path) : path_(path), file_(nullptr, &gzclose) {
    std::error_code unknown;
    if (fs::is_other(path, unknown)) refuse(path, "is a pipe or a device; expected an IDX file");
    file_.reset(gzopen(path.c_str(), "rb"));
    if (!file_) refuse(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
    if (fs::is_directory(path)) refuse(path, "is a folder; expected an IDX file");
    gzbuffer(file_.get(), 1u << 18);
  }

  // Reads up to `count` bytes; fewer only at the end of the file.
  std::vector<std::uint8_t> read(std::size_t count) {
    // Allocates memory as bytes arrive, because a damaged header may announce bytes that do not
    // exist.
    constexpr std::size_t kChunk = 1u << 24;
    std::vector<std::uint8_t> bytes;
    std::size_t done = 0;
    while (done < count) {
      bytes.resize(std::min(count, done + kChunk));
      const int got =
          gzread(file_.get(), bytes.data() + done, static_cast<unsigned>(bytes.size() - done));
      if (got < 0) check();
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
    check();
    return bytes;
  }

 private:
  // zlib reports a gzip stream that ends early as Z_BUF_ERROR and a wrong checksum as Z_DATA_ERROR.
  void check() const {
    int code = Z_OK;
    const char* message = gzerror(file_.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END) return;
    if (code == Z_BUF_ERROR) refuse(path_, "the gzip stream ends early; expected a complete file");
    if (code == Z_ERRNO) refuse(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
    refuse(path_, fmt::format("corrupt gzip data ({}); expected an intact file", message));
  }

  fs::path path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

struct Idx {
  std::vector<std::size_t> dimensions;
  std::vector<std::uint8_t> bytes;
};

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) |
         (std::uint32_t{bytes[2]} << 8) | bytes[3];
}

// Reads an IDX file of unsigned bytes with this many dimensions.
Idx read_file(const fs::path& path, std::size_t dimensions, const char* what) {
  IdxFile reader(path);
  const std::size_t header_size = 4 + 4 * dimensions;
  const std::vector<std::uint8_t> header = reader.read(header_size);
  const std::uint32_t expected_magic = 0x00000800u + static_cast<std::uint32_t>(dimensions);
  if (header.size() >= 4 && big_endian(header.data()) != expected_magic) {
    refuse(path, fmt::format("magic number is 0x{:08x}; expected 0x{:08x} (IDX file of {})",
                             big_endian(header.data()), expected_magic, what));
  }
  if (header.size() < header_size) {
    refuse(path, fmt::format("has {} bytes; expected a header of {} (IDX file of {})",
                             header.size(), header_size, what));
  }
  Idx idx;
  std::uint64_t total = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    idx.dimensions.push_back(big_endian(header.data() + 4 + 4 * d));
    total *= idx.dimensions.back();
    if (total > kLargestFile) {
      refuse(path,
             fmt::format("header announces more than {} bytes of {}; expected a data set of images",
                         kLargestFile, what));
    }
  }
  idx.bytes = reader.read(total);
  if (idx.bytes.size() < total) {
    refuse(path, fmt::format("is truncated: has {} bytes of {}; its header announces {}",
                             idx.bytes.size(), what, total));
  }
  if (!reader.read(1).empty()) {
    refuse(path,
           fmt::format("is longer than its header says; expected {} bytes of {}", total, what));
  }
  return idx;
}

}  // namespace

Dataset read_idx(const fs::path& images, const fs::path& labels, int classes) {
  Idx pixels = read_file(images, 3, "images");
  const Idx classes_of = read_file(labels, 1, "labels");
  const std::size_t count = pixels.dimensions[0];
  if (classes_of.dimensions[0] != count) {
    refuse(labels, fmt::format("has {} labels; expected {}, one for each image of {}",
                               classes_of.dimensions[0], count, images.string()));
  }
  if (count == 0 || pixels.dimensions[1] == 0 || pixels.dimensions[2] == 0) {
    refuse(images, fmt::format("contains {} images of {} x {} pixels; expected at least one pixel",
                               count, pixels.dimensions[1], pixels.dimensions[2]));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (classes_of.bytes[i] >= classes) {
      refuse(labels,
             fmt::format("label {} is {}; expected 0 to {}", i, classes_of.bytes[i], classes - 1));
    }
  }
  const ImageShape shape{1, static_cast<int>(pixels.dimensions[1]),
                         static_cast<int>(pixels.dimensions[2])};
  return {
      shape, std::move(pixels.bytes), {classes_of.bytes.begin(), classes_of.bytes.end()}, classes};
}

std::filesystem::path find_idx_file(const std::filesystem::path& folder, const std::string& name) {
  for (const std::string& candidate : {name, name + ".gz"}) {
    std::error_code unreachable;
    if (std::filesystem::exists(folder / candidate, unreachable)) return folder / candidate;
  }
  return {};
}

}  // namespace gps
