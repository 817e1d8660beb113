#include "gps/data/images/image_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "gps/core/errors.h"
#include "gps/core/hash.h"
#include "gps/data/images/cache_lock.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

struct Header {
  std::array<char, 8> magic = {'g', 'p', 's', '-', 'i', 'm', 'g', 's'};
  std::uint32_t version = 1;
  std::uint32_t channels = 0;
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::uint64_t count = 0;
  std::uint64_t key = 0;
  std::uint64_t checksum_of_rest = 0;
  std::uint64_t checksum = 0;  // of all members before it
  friend bool operator==(const Header&, const Header&) = default;
};
static_assert(sizeof(Header) == 56 && std::is_trivially_copyable_v<Header>);

std::span<const std::uint8_t> bytes_of(const Header& header) {
  return {reinterpret_cast<const std::uint8_t*>(&header), sizeof(header)};
}

Header header_for(const ImageCacheContent& content, std::uint64_t checksum_of_rest) {
  Header header;
  header.channels = static_cast<std::uint32_t>(content.shape.channels);
  header.height = static_cast<std::uint32_t>(content.shape.height);
  header.width = static_cast<std::uint32_t>(content.shape.width);
  header.count = content.labels.size();
  header.key = content.key;
  header.checksum_of_rest = checksum_of_rest;
  header.checksum = hash64(bytes_of(header).first(offsetof(Header, checksum)));
  return header;
}

std::size_t first_image(const ImageCacheContent& content) {
  constexpr std::size_t kPage = 4096;
  return (sizeof(Header) + content.labels.size_bytes() + kPage - 1) / kPage * kPage;
}

std::size_t size_of(const ImageCacheContent& content) {
  return first_image(content) + content.labels.size() * content.shape.bytes();
}

class File {
 public:
  File(const fs::path& path, int flags)
      : path_(path), descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  std::size_t size() const {
    struct stat status {};
    return fstat(descriptor_, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  }
  void require(bool holds, int reason) const {
    if (holds) return;
    throw DataError(fmt::format("{}: cannot be written: {}", path_.string(),
                                std::generic_category().message(reason)));
  }

  // Maps the whole file until the last owner is gone. Returns null if the system refuses.
  std::shared_ptr<std::uint8_t> mapped(std::size_t size, int protection) const {
    void* start = mmap(nullptr, size, protection, MAP_SHARED, descriptor_, 0);
    if (start == MAP_FAILED) return nullptr;
    return {static_cast<std::uint8_t*>(start), [size](std::uint8_t* at) { munmap(at, size); }};
  }

 private:
  fs::path path_;
  int descriptor_;
};

// Returns null unless the file is exactly as `content` describes.
ImageStore open_cache(const fs::path& path, const ImageCacheContent& content) {
  const File file(path, O_RDONLY);
  const std::size_t size = size_of(content);
  if (!file.is_open() || file.size() != size) return nullptr;
  const std::shared_ptr<std::uint8_t> start = file.mapped(size, PROT_READ);
  if (!start) return nullptr;
  Header header;
  std::memcpy(&header, start.get(), sizeof(header));
  if (header != header_for(content, header.checksum_of_rest)) return nullptr;
  const std::span all(start.get(), size);
  if (hash64(all.subspan(sizeof(header))) != header.checksum_of_rest) return nullptr;
  if (std::memcmp(start.get() + sizeof(header), content.labels.data(),
                  content.labels.size_bytes()) != 0)
    return nullptr;
  return {start, start.get() + first_image(content)};
}

void decode_all(const ImageCacheContent& content, std::uint8_t* images, const LoadHooks& hooks) {
  const std::size_t bytes = content.shape.bytes();
  for_each_part(content.labels.size(), content.work + " " + content.what, hooks,
                [&](std::size_t begin, std::size_t end) {
                  for (std::size_t i = begin; i < end; ++i)
                    content.decode(i, {images + i * bytes, bytes});
                });
}

void build(const fs::path& path, const ImageCacheContent& content, const LoadHooks& hooks) {
  const File file(path, O_RDWR | O_CREAT | O_EXCL);
  file.require(file.is_open(), errno);
  const std::size_t size = size_of(content);
  // Allocates the space first: a full disk is an error here, but a fatal signal when a mapped page
  // is written.
  const int reason = posix_fallocate(file.descriptor(), 0, static_cast<off_t>(size));
  file.require(reason == 0, reason);
  const std::shared_ptr<std::uint8_t> start = file.mapped(size, PROT_READ | PROT_WRITE);
  file.require(start != nullptr, errno);
  std::memcpy(start.get() + sizeof(Header), content.labels.data(), content.labels.size_bytes());
  decode_all(content, start.get() + first_image(content), hooks);
  const std::span all(start.get(), size);
  const Header header = header_for(content, hash64(all.subspan(sizeof(Header))));
  std::memcpy(start.get(), &header, sizeof(header));
  file.require(fsync(file.descriptor()) == 0, errno);
}

}  // namespace

ImageStore cached_images(const fs::path& path, const ImageCacheContent& content,
                         const LoadHooks& hooks) {
  if (ImageStore images = open_cache(path, content)) return images;
  const FileLock lock =
      lock_cache(path.string() + ".lock", content.work + " " + content.what, hooks);
  if (ImageStore images = open_cache(path, content)) return images;  // built while we waited
  const fs::path partial = path.string() + ".partial";
  std::error_code error;
  fs::remove(partial, error);  // left by a killed process
  try {
    build(partial, content, hooks);
    fs::rename(partial, path);
  } catch (...) {
    fs::remove(partial, error);
    throw;
  }
  ImageStore images = open_cache(path, content);
  if (!images)
    throw DataError(fmt::format("{}: does not contain what was just written to it", path.string()));
  return images;
}

}  // namespace gps
