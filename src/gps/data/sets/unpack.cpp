#include "gps/data/sets/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"
#include "gps/core/hash.h"
#include "gps/data/images/cache_lock.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadBlock = 1u << 18;

// Reads through zlib, because libarchive does not check gzip's checksum. zlib returns plain files
// unchanged.
struct GzipStream {
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file{nullptr, &gzclose};
  std::vector<char> buffer = std::vector<char>(kReadBlock);
};

la_ssize_t read_block(archive* reader, void* data, const void** block) {
  auto& stream = *static_cast<GzipStream*>(data);
  const int got =
      gzread(stream.file.get(), stream.buffer.data(), static_cast<unsigned>(kReadBlock));
  *block = stream.buffer.data();
  int code = Z_OK;
  const char* message = gzerror(stream.file.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END) {
    archive_set_error(reader, EIO, "%s",
                      code == Z_BUF_ERROR ? "the gzip stream ends early" : message);
    return -1;
  }
  return got;
}

// A file that is written block by block and always closed.
class OutputFile {
 public:
  explicit OutputFile(const fs::path& path)
      : path_(path),
        descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) fail();
  }
  ~OutputFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write_all(const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t written = write(descriptor_, bytes, count);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      bytes += written;
      count -= static_cast<std::size_t>(written);
    }
  }

 private:
  [[noreturn]] void fail() const {
    refuse(path_, fmt::format("cannot be written: {}", std::strerror(errno)));
  }

  fs::path path_;
  int descriptor_;
};

class Unpacker {
 public:
  Unpacker(const fs::path& archive, const LoadHooks& hooks, const UnpackLimits& limits)
      : path_(archive),
        hooks_(hooks),
        limits_(limits),
        size_(fs::file_size(archive)),
        reader_(archive_read_new(), &archive_read_free) {
    if (archive.extension() == ".zip") {
      // The seekable format needs the directory at the end of the file, so truncated files are
      // detected.
      archive_read_support_format_zip_seekable(reader_.get());
      check(archive_read_open_filename(reader_.get(), archive.c_str(), kReadBlock));
    } else {
      gzip_.file.reset(gzopen(archive.c_str(), "rb"));
      if (!gzip_.file) refuse(path_, fmt::format("cannot be opened: {}", std::strerror(errno)));
      archive_read_support_format_tar(reader_.get());
      check(archive_read_open(reader_.get(), &gzip_, nullptr, &read_block, nullptr));
    }
  }

  void unpack_into(const fs::path& folder) {
    archive_entry* entry = nullptr;
    for (int code = 0; (code = archive_read_next_header(reader_.get(), &entry)) != ARCHIVE_EOF;) {
      check(code);
      if (++entries_ > limits_.entries)
        refuse(path_, fmt::format("has more than {} entries; expected an official archive of a "
                                  "data set",
                                  limits_.entries));
      const fs::path target = folder / checked_name(entry);
      if (archive_entry_filetype(entry) == AE_IFDIR) {
        fs::create_directories(target);
      } else {
        fs::create_directories(target.parent_path());
        if (fs::exists(target)) refuse(path_, fmt::format("has '{}' twice", name_of(entry)));
        write_data(target);
      }
      hooks_.check_stop();
      hooks_.report({"unpacking " + path_.filename().string(), position(), size_});
    }
    if (entries_ == 0) refuse(path_, "is empty; expected an official archive of a data set");
    // Reads to the end of the gzip stream, where the checksum of the whole stands.
    if (gzip_.file) {
      const void* block = nullptr;
      la_ssize_t got = 0;
      while ((got = read_block(reader_.get(), &gzip_, &block)) > 0) hooks_.check_stop();
      if (got < 0) check(ARCHIVE_FATAL);
    }
  }

 private:
  void check(int code) const {
    if (code == ARCHIVE_OK) return;
    const char* message = archive_error_string(reader_.get());
    refuse(path_, fmt::format("is damaged or not an archive ({}); expected an intact official one",
                              message != nullptr ? message : "unknown reason"));
  }

  static std::string name_of(archive_entry* entry) {
    const char* name = archive_entry_pathname(entry);
    return name != nullptr ? name : "";
  }

  fs::path checked_name(archive_entry* entry) const {
    const std::string name = name_of(entry);
    const auto kind = archive_entry_filetype(entry);
    const bool is_link =
        archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr;
    if (is_link || (kind != AE_IFREG && kind != AE_IFDIR))
      refuse(path_, fmt::format("'{}' is neither a file nor a folder", name));
    fs::path relative = name;
    bool is_inside = !name.empty() && relative.is_relative();
    for (const fs::path& part : relative) is_inside = is_inside && part != "..";
    if (!is_inside)
      refuse(path_, fmt::format("'{}' is outside the folder into which it is unpacked", name));
    return relative;
  }

  void write_data(const fs::path& target) {
    OutputFile out(target);
    std::array<char, 1u << 16> buffer;
    // Reads until no data is left, not until the announced size, because only then is the checksum
    // verified.
    while (true) {
      hooks_.check_stop();  // one entry may have gigabytes
      const la_ssize_t got = archive_read_data(reader_.get(), buffer.data(), buffer.size());
      if (got < 0) check(static_cast<int>(got));
      if (got == 0) return;
      bytes_ += static_cast<std::uint64_t>(got);
      if (bytes_ > limits_.bytes)
        refuse(path_, fmt::format("contains more than {} bytes; expected an official archive of a "
                                  "data set",
                                  limits_.bytes));
      out.write_all(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  std::uint64_t position() const {
    if (gzip_.file) return static_cast<std::uint64_t>(gzoffset(gzip_.file.get()));
    return static_cast<std::uint64_t>(archive_filter_bytes(reader_.get(), -1));
  }

  fs::path path_;
  const LoadHooks& hooks_;
  UnpackLimits limits_;
  std::uint64_t size_;
  GzipStream gzip_;
  std::unique_ptr<archive, int (*)(archive*)> reader_;
  std::uint64_t entries_ = 0;
  std::uint64_t bytes_ = 0;
};

// Identifies the archive in the state in which it was unpacked.
std::string stamp_of(const fs::path& archive) {
  return fmt::format("{}\n{} bytes\nchanged at {}\n", archive.string(), fs::file_size(archive),
                     fs::last_write_time(archive).time_since_epoch().count());
}

constexpr const char* kStamp = ".unpacked-from";

bool has_stamp(const fs::path& folder, const std::string& stamp) {
  std::ifstream in(folder / kStamp, std::ios::binary);
  return in && std::string(std::istreambuf_iterator<char>(in), {}) == stamp;
}

}  // namespace

void unpack(const fs::path& archive, const fs::path& folder, const LoadHooks& hooks,
            const UnpackLimits& limits) {
  try {
    Unpacker(archive, hooks, limits).unpack_into(folder);
  } catch (const fs::filesystem_error& error) {
    refuse(archive,
           fmt::format("cannot be unpacked into {}: {}", folder.string(), error.code().message()));
  }
}

fs::path unpacked(const fs::path& archive, const fs::path& cache, const LoadHooks& hooks) {
  std::error_code error;
  const fs::path source = fs::canonical(archive, error);
  if (error) refuse(archive, fmt::format("cannot be opened: {}", error.message()));
  const std::string stamp = stamp_of(source);
  // Archives with the same name in different folders are different archives.
  fs::path folder = cache / "unpacked" /
                    fmt::format("{}-{:016x}", archive.filename().string(),
                                hash64(std::string_view(source.native())));
  if (has_stamp(folder, stamp)) return folder;

  const FileLock lock =
      lock_cache(folder.string() + ".lock", "unpacking " + archive.filename().string(), hooks);
  if (has_stamp(folder, stamp)) return folder;  // unpacked while we waited
  const fs::path partial = folder.string() + ".partial";
  const fs::path outdated = folder.string() + ".outdated";
  try {
    fs::remove_all(partial);
    fs::remove_all(outdated);
    fs::create_directories(partial);
    unpack(source, partial, hooks);
    if (stamp_of(source) != stamp) refuse(archive, "was changed while it was unpacked; try again");
    OutputFile(partial / kStamp).write_all(stamp.data(), stamp.size());
    sync_file_system(partial);
    if (fs::exists(folder)) fs::rename(folder, outdated);
    fs::rename(partial, folder);
    fs::remove_all(outdated);
  } catch (const fs::filesystem_error& failure) {
    fs::remove_all(partial, error);
    refuse(archive, fmt::format("cannot be unpacked into {}: {}", folder.string(),
                                failure.code().message()));
  } catch (...) {
    fs::remove_all(partial, error);
    throw;
  }
  return folder;
}

}  // namespace gps
