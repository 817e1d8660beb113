#include "gps/core/files/files.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "gps/core/errors.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::generic_category().message(errno); }

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags)
      : value_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return value_; }
  bool close() {
    const int open = std::exchange(value_, -1);
    return open < 0 || ::close(open) == 0;
  }

 private:
  int value_;
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_and_sync(const fs::path& path, std::string_view bytes) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
  return file.get() >= 0 && write_all(file.get(), bytes) && fsync(file.get()) == 0 && file.close();
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

fs::path unfinished(const fs::path& file) {
  fs::path name = file;
  name += ".tmp";
  return name;
}

void check_is_no_other(const fs::path& path) {
  std::error_code unknown;
  if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown))
    throw DataError(path.string() + ": cannot be written: it exists and is not a file");
}

}  // namespace

void check_can_be_written(const fs::path& path) {
  check_is_no_other(path);
  const fs::path trial = unfinished(path);
  const Descriptor made(trial, O_WRONLY | O_CREAT | O_EXCL);
  if (made.get() < 0 && errno != EEXIST)
    throw DataError(path.string() + ": cannot be written: " + reason());
  std::error_code ignored;
  if (made.get() >= 0) fs::remove(trial, ignored);
}

void write_file(const fs::path& path, std::string_view bytes, const fs::path& previous) {
  check_is_no_other(path);
  const fs::path half = unfinished(path);
  const bool is_written =
      write_and_sync(half, bytes) &&
      (previous.empty() || rename(path.c_str(), previous.c_str()) == 0 || errno == ENOENT) &&
      rename(half.c_str(), path.c_str()) == 0;
  if (!is_written) {
    const std::string why = reason();
    std::error_code ignored;
    fs::remove(half, ignored);
    throw DataError(path.string() + ": cannot be written: " + why);
  }
  sync_folder(folder_of(path));
}

void sync_folder(const fs::path& folder) {
  const Descriptor opened(folder, O_RDONLY | O_DIRECTORY);
  if (opened.get() >= 0) fsync(opened.get());
}

void write_whole(const fs::path& file, const std::function<void(const fs::path&)>& write) {
  const fs::path half = unfinished(file);
  std::error_code ignored;
  try {
    write(half);
    const Descriptor written(half, O_RDONLY);
    if (written.get() < 0 || fsync(written.get()) != 0 || rename(half.c_str(), file.c_str()) != 0)
      throw DataError(file.string() + ": cannot be written: " + reason());
  } catch (...) {
    fs::remove(half, ignored);
    throw;
  }
  sync_folder(folder_of(file));
}

void sync_file_system(const fs::path& folder) {
  const Descriptor opened(folder, O_RDONLY | O_DIRECTORY);
  if (opened.get() < 0 || syncfs(opened.get()) != 0)
    throw DataError(folder.string() + ": cannot be written: " + reason());
}

std::string read_file(const fs::path& path) {
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0) throw DataError(path.string() + ": cannot be read: " + reason());
  std::string bytes;
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  while (true) {
    const std::size_t size = bytes.size();
    bytes.resize(size + kChunk);
    const ssize_t got = read(file.get(), bytes.data() + size, kChunk);
    if (got < 0) throw DataError(path.string() + ": cannot be read: " + reason());
    bytes.resize(size + static_cast<std::size_t>(got));
    if (got == 0) return bytes;
  }
}

std::uint32_t checksum(std::string_view bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace gps
