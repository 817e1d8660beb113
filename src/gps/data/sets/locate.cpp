#include "gps/data/sets/locate.h"
#include "gps/core/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "gps/core/errors.h"
#include "gps/core/text/text.h"
#include "gps/data/readers/idx.h"
#include "gps/data/sets/unpack.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr int kClasses = 10;
constexpr std::array<const char*, 4> kFiles = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                               "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

std::optional<std::string> environment(const char* name) {
  const char* value =
      std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read before any thread starts
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

// One of the folders that are searched for sets.
struct Place {
  fs::path folder;
  std::string name;
};

std::vector<Place> places(const fs::path& data) {
  std::vector<Place> all;
  if (!data.empty()) all.push_back({data, "`data`"});
  if (const auto chosen = environment("GPSCL_DATA")) all.push_back({*chosen, "$GPSCL_DATA"});
  if (const fs::path cache = user_cache(); !cache.empty())
    all.push_back({cache, "the user's cache"});
  all.push_back({"/usr/share/datasets", "where Debian's packages put data"});
  return all;
}

// Returns the paths of the four files of a set like MNIST; empty paths for missing files.
std::array<fs::path, kFiles.size()> mnist_files(const fs::path& folder) {
  std::array<fs::path, kFiles.size()> found;
  for (std::size_t f = 0; f < kFiles.size(); ++f) found[f] = find_idx_file(folder, kFiles[f]);
  return found;
}

bool has_mnist_files(const fs::path& folder) {
  const auto files = mnist_files(folder);
  return std::any_of(files.begin(), files.end(), [](const fs::path& f) { return !f.empty(); });
}

void check_option(const fs::path& data, const std::string& holds) {
  std::error_code unreachable;
  if (data.empty() || fs::is_directory(data, unreachable)) return;
  throw OptionError("data", fmt::format("'{}' is not a folder; expected one that contains {}",
                                        data.string(), holds));
}

[[noreturn]] void refuse_without_files(const std::string& set, const fs::path& data) {
  std::vector<std::string> looked_in;
  for (const fs::path& folder : data_folders(data)) looked_in.push_back((folder / set).string());
  throw DataError(fmt::format(
      "data set '{}' not found in {}; get it with: gpscl data get {}; or put its four IDX "
      "files "
      "(plain or .gz) there{}, or name a folder with `data`",
      set, join(looked_in), set,
      set == "fashion-mnist" ? ", or install Debian's package dataset-fashion-mnist" : ""));
}

}  // namespace

fs::path user_cache() {
  if (const auto cache = environment("XDG_CACHE_HOME")) return fs::path(*cache) / "gpscl";
  if (const auto home = environment("HOME")) return fs::path(*home) / ".cache" / "gpscl";
  return {};
}

std::vector<fs::path> data_folders(const fs::path& data) {
  std::vector<fs::path> folders;
  for (const Place& place : places(data)) folders.push_back(place.folder);
  return folders;
}

TrainTest read_mnist_like(const fs::path& folder) {
  const auto found = mnist_files(folder);
  const auto missing = std::count(found.begin(), found.end(), fs::path());
  for (std::size_t f = 0; f < kFiles.size(); ++f) {
    if (!found[f].empty()) continue;
    throw DataError(fmt::format("{}: has {} of the 4 files of {}, but neither {} nor {}.gz",
                                folder.string(), 4 - missing, folder.filename().string(), kFiles[f],
                                kFiles[f]));
  }
  TrainTest sets{read_idx(found[0], found[1], kClasses), read_idx(found[2], found[3], kClasses)};
  if (sets.train.shape() != sets.test.shape()) {
    const ImageShape& test = sets.test.shape();
    const ImageShape& train = sets.train.shape();
    throw DataError(fmt::format("{}: images of {} x {} pixels; expected {} x {} as in {}",
                                found[2].string(), test.height, test.width, train.height,
                                train.width, found[0].string()));
  }
  return sets;
}

TrainTest load_mnist_like(const std::string& set, const fs::path& data) {
  check_option(data, set + "/");
  for (const fs::path& folder : data_folders(data)) {
    if (has_mnist_files(folder / set)) return read_mnist_like(folder / set);
  }
  refuse_without_files(set, data);
}

fs::path locate(const PublishedSet& set, const fs::path& data, const LoadHooks& hooks) {
  const std::optional<FoundSet> found = find_set(set, data);
  if (!found) refuse_missing(set, data);
  std::error_code unreachable;
  if (fs::is_directory(found->path, unreachable)) return found->path;
  const fs::path cache = user_cache();
  if (cache.empty()) {
    throw DataError(
        fmt::format("{}: there is no folder to unpack it into; set $XDG_CACHE_HOME or $HOME",
                    found->path.string()));
  }
  fs::path folder = unpacked(found->path, cache, hooks) / set.folder;
  if (fs::is_directory(folder, unreachable)) return folder;
  throw DataError(fmt::format("{}: contains no folder {}; expected the official archive of {}",
                              found->path.string(), set.folder, set.title));
}

std::optional<FoundSet> find_set(const PublishedSet& set, const fs::path& data) {
  check_option(data, set.is_archive() ? fmt::format("{}/ or {}", set.folder, set.archive())
                                      : set.folder + "/");
  for (const Place& place : places(data)) {
    std::error_code unreachable;
    const fs::path folder = place.folder / set.folder;
    const bool is_there =
        set.is_archive() ? fs::is_directory(folder, unreachable) : has_mnist_files(folder);
    if (is_there) return FoundSet{folder, place.name};
    if (!set.is_archive()) continue;
    const fs::path archive = place.folder / set.archive();
    if (fs::exists(archive, unreachable)) return FoundSet{archive, place.name};
  }
  return std::nullopt;
}

void refuse_missing(const PublishedSet& set, const fs::path& data) {
  if (!set.is_archive()) refuse_without_files(set.folder, data);
  std::vector<std::string> looked_in;
  for (const fs::path& folder : data_folders(data)) looked_in.push_back(folder.string());
  throw DataError(
      fmt::format("data set {} not found in {}; get it with: gpscl data get {}; or put its "
                  "official archive {} "
                  "there, or its folder {}/, or name a folder that has one of them with `data`",
                  set.title, join(looked_in), set.name, set.archive(), set.folder));
}

}  // namespace gps
