#include "gps/data/sets/install.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"
#include "gps/core/option.h"
#include "gps/data/images/cache_lock.h"
#include "gps/data/readers/cifar.h"
#include "gps/data/readers/idx.h"
#include "gps/data/readers/tiny_imagenet.h"
#include "gps/data/sets/checksum.h"
#include "gps/data/sets/fetch_file.h"
#include "gps/data/sets/installed_sums.h"
#include "gps/data/sets/locate.h"
#include "gps/data/sets/unpack.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

fs::path downloads(const PublishedSet& set, const fs::path& cache) {
  return cache / "downloads" / set.name;
}

FileLock lock(const PublishedSet& set, const fs::path& cache, const LoadHooks& hooks) {
  if (cache.empty()) throw DataError("there is no folder for data; set $XDG_CACHE_HOME or $HOME");
  return lock_cache(downloads(set, cache).string() + ".lock", "getting or removing " + set.name,
                    hooks);
}

// Lets the set's reader open the folder.
void check_readable(const PublishedSet& set, const fs::path& folder) {
  constexpr int kTinyImagenetClasses = 200;
  switch (set.format) {
    case SetFormat::mnist:
      read_mnist_like(folder);
      return;
    case SetFormat::cifar_10:
      read_cifar_10(folder);
      return;
    case SetFormat::cifar_100:
      read_cifar_100(folder);
      return;
    case SetFormat::tiny_imagenet:
      check_tiny_imagenet(folder, kTinyImagenetClasses);
      return;
  }
}

// Builds the set's folder below `unpacking` from the files fetched to `work`. Returns its path.
fs::path build(const PublishedSet& set, const fs::path& work, const fs::path& unpacking,
               const LoadHooks& hooks) {
  fs::path folder = unpacking / set.folder;
  if (set.is_archive()) {
    constexpr std::uint64_t kMostEntries = 200'000;
    unpack(work / set.archive(), unpacking, hooks, {kMostEntries, set.unpacked_bytes});
    if (!fs::is_directory(folder))
      refuse(work / set.archive(), fmt::format("contains no folder {}", set.folder));
  } else {
    fs::create_directories(folder);
    for (const PublishedFile& file : set.files) fs::copy_file(work / file.name, folder / file.name);
  }
  check_readable(set, folder);
  write_sums(set, folder, hooks);
  sync_file_system(folder);
  return folder;
}

// Throws DataError unless this is the sum of the published file.
void check_published(const fs::path& path, const PublishedFile& file,
                     const std::optional<std::string>& sum) {
  if (!sum) refuse(path, "is damaged: it cannot be unpacked");
  if (*sum != file.sha256)
    refuse(path, fmt::format("is not the published {}: its SHA-256 is {}; expected {}", file.name,
                             *sum, file.sha256));
}

// A folder that is empty at first and is removed at the end.
class ScratchFolder {
 public:
  explicit ScratchFolder(fs::path path) : path_(std::move(path)) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Throws DataError if the set's place holds anything that install() did not put there.
void check_is_ours(const PublishedSet& set, const fs::path& cache) {
  const fs::path target = cache / set.folder;
  if (!fs::exists(fs::symlink_status(target)) || is_installed(set, cache)) return;
  refuse(target, fmt::format("was not installed by gpscl data get and is not changed; to install "
                             "{} again, remove it yourself",
                             set.name));
}

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t bytes = 0;
  if (!fs::exists(folder)) return bytes;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && !entry.is_symlink()) bytes += entry.file_size();
  }
  return bytes;
}

// Renames the folder, so that it disappears from its place in one step and can then be removed.
void put_aside(const fs::path& folder, const fs::path& work) {
  fs::create_directories(work);
  fs::remove_all(work / "outdated");
  if (fs::exists(folder)) fs::rename(folder, work / "outdated");
}

// Moves the folder to its place. If there is an old one, exchanges the two in one step if the file
// system supports it; otherwise the place is empty for a moment.
void put_in_place(const fs::path& folder, const fs::path& place, const fs::path& work) {
  if (renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) return;
  put_aside(place, work);
  fs::rename(folder, place);
}

}  // namespace

void validate(const InstallOptions& options) {
  const std::string& mirror = options.mirror;
  if (mirror.empty() || mirror.starts_with("http://") || mirror.starts_with("https://")) return;
  throw OptionError(
      "mirror", fmt::format("'{}' is not the address of a mirror; expected http://… or https://…",
                            shown(mirror)));
}

bool is_installed(const PublishedSet& set, const fs::path& cache) {
  std::error_code unreachable;
  return !cache.empty() && fs::is_regular_file(cache / set.folder / kSumsFile, unreachable);
}

bool install(const PublishedSet& set, const fs::path& cache, const InstallOptions& options,
             const LoadHooks& hooks) {
  validate(options);
  const FileLock held = lock(set, cache, hooks);
  const fs::path work = downloads(set, cache);
  if (is_installed(set, cache) && !options.anew) {
    std::error_code ignored;
    fs::remove_all(work, ignored);  // remains of a killed process
    return false;
  }
  check_is_ours(set, cache);
  try {
    fs::create_directories(work);
    for (const PublishedFile& file : set.files)
      fetch_file(set, file, work, options.mirror, options.download, hooks);
    const ScratchFolder unpacking(work / "unpacking");
    const fs::path folder = build(set, work, unpacking.path(), hooks);
    put_in_place(folder, cache / set.folder, work);
    fs::remove_all(work);
  } catch (const fs::filesystem_error& error) {
    refuse(cache,
           fmt::format("{} cannot be installed here: {}", set.title, error.code().message()));
  }
  return true;
}

void verify_installed(const PublishedSet& set, const fs::path& cache, const LoadHooks& hooks) {
  if (!is_installed(set, cache)) {
    refuse(cache / set.folder,
           fmt::format("{} is not installed here; install it with: gpscl data get {}", set.title,
                       set.name));
  }
  const fs::path folder = cache / set.folder;
  try {
    check_sums(set, folder, hooks);
    check_readable(set, folder);
  } catch (const fs::filesystem_error& error) {
    refuse(folder, fmt::format("cannot be read: {}", error.code().message()));
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}; download it again with: gpscl data get {} --force",
                                error.what(), set.name));
  }
}

std::string verify_found(const PublishedSet& set, const fs::path& found, const LoadHooks& hooks) {
  constexpr const char* kCorrect = "all checksums are correct";
  std::error_code unreachable;
  if (!fs::is_directory(found, unreachable)) {
    check_published(found, set.files.front(), sha256_of(found, hooks));
    return kCorrect;
  }
  if (is_installed(set, found.parent_path())) {
    verify_installed(set, found.parent_path(), hooks);
    return kCorrect;
  }
  try {
    check_readable(set, found);
  } catch (const fs::filesystem_error& error) {
    refuse(found, fmt::format("cannot be read: {}", error.code().message()));
  }
  if (set.is_archive()) return "can be read; there is no list of checksums beside its files";
  for (const PublishedFile& file : set.files) {
    constexpr std::uint64_t kMostContent = std::uint64_t{1} << 30;
    const fs::path path = find_idx_file(found, fs::path(file.name).stem().string());
    check_published(path, file, sha256_of_content(path, kMostContent, hooks));
  }
  return kCorrect;
}

std::uint64_t remove_installed(const PublishedSet& set, const fs::path& cache,
                               const LoadHooks& hooks) {
  const FileLock held = lock(set, cache, hooks);
  check_is_ours(set, cache);
  const fs::path work = downloads(set, cache);
  std::uint64_t freed = 0;
  try {
    if (is_installed(set, cache)) {
      if (set.format == SetFormat::tiny_imagenet) {
        const fs::path decoded = decoded_tiny_imagenet(cache / set.folder, cache);
        freed += size_of(decoded);
        fs::remove(decoded);
      }
      put_aside(cache / set.folder, work);
    }
    freed += bytes_below(work);
    fs::remove_all(work);
  } catch (const fs::filesystem_error& error) {
    refuse(cache / set.folder, fmt::format("cannot be removed: {}", error.code().message()));
  }
  return freed;
}

}  // namespace gps
