#include "gps/core/files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "gps/core/errors.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::generic_category().message(errno); }

class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const fs::path& path, int flags)
      : value_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }

  int get() const { return value_; }

 private:
  int value_ = -1;
};

[[noreturn]] void refuse_reading(const fs::path& path, int why) {
  throw DataError(path.string() + ": cannot be read: " + std::generic_category().message(why));
}

// Does not block: opening a pipe would wait for someone who writes to it.
Descriptor opened_to_read(const fs::path& path) {
  Descriptor file(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) refuse_reading(path, errno);
  if (S_ISDIR(status.st_mode)) refuse_reading(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    throw DataError(path.string() + ": cannot be read: it is a pipe or a device; expected a file");
  return file;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

constexpr std::size_t kRandomDigits = 8;
constexpr std::string_view kEnding = ".tmp";

// Returns the name of a temporary file of `file`. A long name is cut off, so that the rest has
// room.
fs::path temporary_name(const fs::path& file, const std::string& before_ending) {
  constexpr std::size_t kLongestName = 255;  // of the usual file systems, in bytes
  constexpr std::size_t kRest = 1 + kRandomDigits + kEnding.size();
  const std::string begin = file.filename().string().substr(0, kLongestName - kRest);
  return file.parent_path() / fmt::format("{}{}{}", begin, before_ending, kEnding);
}

// The name that is tried first: what a killed program leaves has this name, and is found by it.
fs::path usual_name(const fs::path& file) { return temporary_name(file, ""); }

fs::path random_name(const fs::path& file) {
  std::random_device source;
  const unsigned number = source();
  static_assert(sizeof(number) * 2 == kRandomDigits);
  return temporary_name(file, fmt::format(".{:08x}", number));
}

// Returns whether the name stands for the open file, and not for another one or for none.
bool is_name_of(const fs::path& name, int descriptor) {
  struct stat named {};
  struct stat opened {};
  return lstat(name.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

// Removes the file if its writer is gone: it then has no lock. Neither follows a link nor waits for
// the reader of a pipe.
void remove_if_left(const fs::path& file) {
  const Descriptor opened(file, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (opened.get() < 0 || fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  // Its writer may have renamed it before the lock, and another may have made a new one since.
  if (flock(opened.get(), LOCK_EX | LOCK_NB) == 0 && is_name_of(file, opened.get()))
    unlink(file.c_str());
}

// A new file beside `file` that no one else writes to. Removed at the end, unless it has taken the
// place of `file`.
class Temporary {
 public:
  // Leaves the reason in errno if it cannot be made.
  explicit Temporary(const fs::path& file) {
    constexpr int kAttempts = 100;
    remove_if_left(usual_name(file));
    for (int k = 0; k < kAttempts && !is_made_; ++k) {
      name_ = k == 0 ? usual_name(file) : random_name(file);
      descriptor_ = Descriptor(name_, O_RDWR | O_CREAT | O_EXCL);
      if (descriptor_.get() < 0 && errno != EEXIST) return;
      is_made_ = descriptor_.get() >= 0 && lock();
    }
  }
  ~Temporary() {
    if (is_made_) unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  bool is_made() const { return is_made_; }
  int get() const { return descriptor_.get(); }
  const fs::path& name() const { return name_; }

  bool take_place_of(const fs::path& file) {
    if (rename(name_.c_str(), file.c_str()) != 0) return false;
    is_made_ = false;
    return true;
  }

 private:
  // Between the creation and the lock, another program may take the file for a leftover: then that
  // program has the lock, or has removed the name. Some file systems have no locks; there nothing
  // is taken for a leftover.
  bool lock() const {
    if (flock(get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    return is_name_of(name_, get());
  }

  fs::path name_;
  Descriptor descriptor_;
  bool is_made_ = false;
};

[[noreturn]] void refuse_writing(const fs::path& path) {
  const std::string why = reason();
  throw DataError(path.string() + ": cannot be written: " + why);
}

void check_is_no_other(const fs::path& path) {
  std::error_code unknown;
  if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown))
    throw DataError(path.string() + ": cannot be written: it exists and is not a file");
}

}  // namespace

void check_can_be_written(const fs::path& path) {
  check_is_no_other(path);
  const Temporary trial(path);
  if (!trial.is_made()) refuse_writing(path);
}

void remove_leftovers(const fs::path& path) { remove_if_left(usual_name(path)); }

void write_file(const fs::path& path, std::string_view bytes, const fs::path& previous) {
  check_is_no_other(path);
  Temporary half(path);
  const bool is_written =
      half.is_made() && write_all(half.get(), bytes) && fsync(half.get()) == 0 &&
      (previous.empty() || rename(path.c_str(), previous.c_str()) == 0 || errno == ENOENT) &&
      half.take_place_of(path);
  if (!is_written) refuse_writing(path);
  sync_folder(folder_of(path));
}

void sync_folder(const fs::path& folder) {
  const Descriptor opened(folder, O_RDONLY | O_DIRECTORY);
  if (opened.get() >= 0) fsync(opened.get());
}

void write_whole(const fs::path& file, const std::function<void(const fs::path&)>& write) {
  Temporary half(file);
  if (!half.is_made()) refuse_writing(file);
  write(half.name());
  const Descriptor written(half.name(), O_RDONLY | O_NOFOLLOW);
  if (written.get() < 0 || fsync(written.get()) != 0 || !half.take_place_of(file))
    refuse_writing(file);
  sync_folder(folder_of(file));
}

void sync_file_system(const fs::path& folder) {
  const Descriptor opened(folder, O_RDONLY | O_DIRECTORY);
  if (opened.get() < 0 || syncfs(opened.get()) != 0) refuse_writing(folder);
}

void check_can_be_read(const fs::path& path) { opened_to_read(path); }

std::string read_file(const fs::path& path) {
  const Descriptor file = opened_to_read(path);
  std::string bytes;
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  while (true) {
    const std::size_t size = bytes.size();
    bytes.resize(size + kChunk);
    const ssize_t got = read(file.get(), bytes.data() + size, kChunk);
    if (got < 0) refuse_reading(path, errno);
    bytes.resize(size + static_cast<std::size_t>(got));
    if (got == 0) return bytes;
  }
}

std::uint32_t checksum(std::string_view bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace gps
