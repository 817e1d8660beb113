#include "gps/data/sets/install.h"
#include "gps/core/option.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"
#include "gps/core/text.h"
#include "gps/data/images/cache_lock.h"
#include "gps/data/readers/cifar.h"
#include "gps/data/readers/tiny_imagenet.h"
#include "gps/data/sets/checksum.h"
#include "gps/data/sets/locate.h"
#include "gps/data/sets/unpack.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSums = ".gpscl-sha256";

fs::path downloads(const PublishedSet& set, const fs::path& cache) {
  return cache / "downloads" / set.name;
}

FileLock lock(const PublishedSet& set, const fs::path& cache, const LoadHooks& hooks) {
  if (cache.empty())
    throw DataError("there is no place for data; expected $XDG_CACHE_HOME or $HOME to name one");
  return lock_cache(downloads(set, cache).string() + ".lock", "getting or removing " + set.name,
                    hooks);
}

std::uint64_t size_of(const fs::path& file) {
  std::error_code none;
  const std::uintmax_t size = fs::file_size(file, none);
  return none ? 0 : size;
}

// How long a file of the set may be: gzipped anew it may be longer than it was published.
std::uint64_t most_bytes(const PublishedSet& set, const PublishedFile& file) {
  return set.is_archive() ? file.bytes : 4 * file.bytes + 4096;
}

// Empty if the file is what was published; otherwise what is wrong with it.
std::string flaw_in(const PublishedSet& set, const PublishedFile& file, const fs::path& path,
                    const LoadHooks& hooks) {
  constexpr std::uint64_t kMostContent = std::uint64_t{1} << 30;
  hooks.report({"checking " + file.name, 0, 0});
  if (set.is_archive() && size_of(path) != file.bytes)
    return fmt::format("has {} bytes; expected {}", size_of(path), file.bytes);
  const auto sum =
      set.is_archive() ? sha256_of(path, hooks) : sha256_of_content(path, kMostContent, hooks);
  if (!sum) return "is damaged: it cannot be unpacked";
  if (*sum == file.sha256) return {};
  return fmt::format("is damaged: its {}SHA-256 is {}; expected {}",
                     set.is_archive() ? "" : "content's ", *sum, file.sha256);
}

// All of the file from this address, checked. Throws SourceError.
void fetch_from(const std::string& url, const PublishedSet& set, const PublishedFile& file,
                const fs::path& part, const InstallOptions& options, const LoadHooks& hooks) {
  while (true) {
    const bool goes_on = size_of(part) > 0;
    download(url, part, most_bytes(set, file), options.download, hooks);
    const std::string flaw = flaw_in(set, file, part, hooks);
    if (flaw.empty()) return;
    fs::remove(part);
    // What was there before may have been the beginning of something else.
    if (!goes_on) throw SourceError(fmt::format("{}: {}", shown(url), flaw));
  }
}

// The file `name` of the folder, from the first source that has it whole and right. Sources that
// broke off are asked again, for the rest, as long as that brings something.
void fetch(const PublishedSet& set, const PublishedFile& file, const fs::path& folder,
           const InstallOptions& options, const LoadHooks& hooks) {
  constexpr int kRounds = 3;
  const fs::path whole = folder / file.name;
  if (fs::exists(whole) && flaw_in(set, file, whole, hooks).empty()) return;
  const fs::path part = whole.string() + ".part";
  std::vector<std::string> urls;
  for (const std::string& source : set.sources) urls.push_back(source + file.name);
  if (!options.mirror.empty()) {
    const bool has_slash = options.mirror.ends_with('/');
    urls = {fmt::format("{}{}{}/{}", options.mirror, has_slash ? "" : "/", set.name, file.name)};
  }
  const std::vector<std::string> all = urls;
  std::map<std::string, std::string> failures;  // the last one of each address
  for (int round = 0; round < kRounds && !urls.empty(); ++round) {
    std::vector<std::string> again;
    for (const std::string& url : urls) {
      const std::uint64_t before = size_of(part);
      try {
        fetch_from(url, set, file, part, options, hooks);
        fs::rename(part, whole);
        return;
      } catch (const SourceError& error) {
        failures[url] = error.what();
        if (url != urls.back())
          hooks.report({fmt::format("{}; trying the next source", error.what()), 0, 0});
        if (size_of(part) > before) again.push_back(url);
      }
    }
    urls = again;
  }
  std::vector<std::string> reasons;
  for (const std::string& url : all) reasons.push_back(failures[url]);
  throw DataError(fmt::format("{} of {} cannot be had: {}{}", file.name, set.title,
                              join(reasons, "; "),
                              options.mirror.empty() ? "; `mirror` URL names another source" : ""));
}

// Has the set's reader look at the folder.
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

// The files below the folder but for the list of sums, by name. Throws DataError for links and the
// like.
std::map<std::string, std::uint64_t> files_below(const fs::path& folder) {
  std::map<std::string, std::uint64_t> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory() && !entry.is_symlink()) continue;
    if (entry.is_symlink() || !entry.is_regular_file())
      refuse(entry.path(), "is neither a file nor a folder");
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    if (name.find_first_of("\n\\") != std::string::npos)
      refuse(entry.path(), "has a name that no data set uses");
    if (name != kSums) files[name] = entry.file_size();
  }
  return files;
}

std::uint64_t total_of(const std::map<std::string, std::uint64_t>& files) {
  std::uint64_t total = 0;
  for (const auto& [name, size] : files) total += size;
  return total;
}

// Calls work(name, sum) for each file below the folder.
template <typename Work>
void for_each_sum(const PublishedSet& set, const fs::path& folder, const LoadHooks& hooks,
                  const Work& work) {
  const auto files = files_below(folder);
  const std::uint64_t total = total_of(files);
  std::uint64_t done = 0;
  for (const auto& [name, size] : files) {
    work(name, sha256_of(folder / name, hooks));
    done += size;
    hooks.report({"checking " + set.name, done, total});
  }
}

void write_sums(const PublishedSet& set, const fs::path& folder, const LoadHooks& hooks) {
  std::string text = fmt::format("# {}, installed by gpscl data get {}\n", set.title, set.name);
  for_each_sum(set, folder, hooks, [&](const std::string& name, const std::string& sum) {
    text += fmt::format("{}  {}\n", sum, name);
  });
  write_file(folder / kSums, text);
}

std::map<std::string, std::string> read_sums(const fs::path& folder) {
  constexpr std::size_t kDigits = 64;
  std::map<std::string, std::string> sums;
  for (const std::string& line : split(read_file(folder / kSums), '\n')) {
    if (line.empty() || line.front() == '#') continue;
    if (line.size() < kDigits + 3 || line.substr(kDigits, 2) != "  ")
      refuse(folder / kSums, fmt::format("'{}' is no sum and file name", line.substr(0, 80)));
    sums[line.substr(kDigits + 2)] = line.substr(0, kDigits);
  }
  return sums;
}

// Makes the set's folder below `unpacking`, out of what was fetched to `work`.
fs::path build(const PublishedSet& set, const fs::path& work, const fs::path& unpacking,
               const LoadHooks& hooks) {
  fs::path folder = unpacking / set.folder;
  if (set.is_archive()) {
    constexpr std::uint64_t kMostEntries = 200'000;
    unpack(work / set.archive(), unpacking, hooks, {kMostEntries, set.unpacked_bytes});
    if (!fs::is_directory(folder))
      refuse(work / set.archive(), fmt::format("holds no folder {}", set.folder));
  } else {
    fs::create_directories(folder);
    for (const PublishedFile& file : set.files) fs::copy_file(work / file.name, folder / file.name);
  }
  check_readable(set, folder);
  write_sums(set, folder, hooks);
  sync_file_system(folder);
  return folder;
}

// A folder that is empty at first and gone in the end.
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

// Only what install() has put there is replaced or removed.
void check_is_ours(const PublishedSet& set, const fs::path& cache) {
  const fs::path target = cache / set.folder;
  if (!fs::exists(fs::symlink_status(target)) || is_installed(set, cache)) return;
  refuse(target, fmt::format("was not put there by gpscl data get, and is left alone; remove it "
                             "yourself if {} is to be got anew",
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

// Out of everybody's sight at once, to be removed.
void put_aside(const fs::path& folder, const fs::path& work) {
  fs::create_directories(work);
  fs::remove_all(work / "outdated");
  if (fs::exists(folder)) fs::rename(folder, work / "outdated");
}

// Gives the folder its place. Where there is an old one, they change places at once, if the file
// system can do that; otherwise there is none for a moment.
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
      "mirror",
      fmt::format("'{}' is no address of a mirror; expected http://… or https://…", shown(mirror)));
}

bool is_installed(const PublishedSet& set, const fs::path& cache) {
  std::error_code unreachable;
  return !cache.empty() && fs::is_regular_file(cache / set.folder / kSums, unreachable);
}

bool install(const PublishedSet& set, const fs::path& cache, const InstallOptions& options,
             const LoadHooks& hooks) {
  validate(options);
  const FileLock held = lock(set, cache, hooks);
  const fs::path work = downloads(set, cache);
  if (is_installed(set, cache) && !options.anew) {
    std::error_code ignored;
    fs::remove_all(work, ignored);  // what a process left that was killed
    return false;
  }
  check_is_ours(set, cache);
  try {
    fs::create_directories(work);
    for (const PublishedFile& file : set.files) fetch(set, file, work, options, hooks);
    const ScratchFolder unpacking(work / "unpacking");
    const fs::path folder = build(set, work, unpacking.path(), hooks);
    put_in_place(folder, cache / set.folder, work);
    fs::remove_all(work);
  } catch (const fs::filesystem_error& error) {
    refuse(cache, fmt::format("{} cannot be put there: {}", set.title, error.code().message()));
  }
  return true;
}

void verify_installed(const PublishedSet& set, const fs::path& cache, const LoadHooks& hooks) {
  if (!is_installed(set, cache)) {
    refuse(cache / set.folder, fmt::format("{} is not installed there; gpscl data get {} does that",
                                           set.title, set.name));
  }
  const fs::path folder = cache / set.folder;
  try {
    std::map<std::string, std::string> sums = read_sums(folder);
    for_each_sum(set, folder, hooks, [&](const std::string& name, const std::string& sum) {
      const auto expected = sums.find(name);
      if (expected == sums.end()) refuse(folder / name, "is no file of the set");
      if (expected->second != sum)
        refuse(folder / name,
               fmt::format("was changed: its SHA-256 is {}; expected {}", sum, expected->second));
      sums.erase(expected);
    });
    if (!sums.empty()) refuse(folder / sums.begin()->first, "is missing");
    check_readable(set, folder);
  } catch (const fs::filesystem_error& error) {
    refuse(folder, fmt::format("cannot be read: {}", error.code().message()));
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("{}; gpscl data get {} --force gets it anew", error.what(), set.name));
  }
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
