#include "gps/data/locate.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <optional>

#include "gps/core/errors.h"
#include "gps/core/text.h"
#include "gps/data/readers/idx.h"
#include "gps/data/unpack.h"

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

// The file under its plain name or its gzipped one; empty if there is neither.
fs::path find_file(const fs::path& folder, const std::string& name) {
  for (const std::string& candidate : {name, name + ".gz"}) {
    std::error_code unreachable;
    if (fs::exists(folder / candidate, unreachable)) return folder / candidate;
  }
  return {};
}

void check_option(const fs::path& data, const std::string& holds) {
  std::error_code unreachable;
  if (data.empty() || fs::is_directory(data, unreachable)) return;
  throw UsageError(
      fmt::format("--data '{}' is not a folder; expected one that holds {}", data.string(), holds));
}

}  // namespace

fs::path user_cache() {
  if (const auto cache = environment("XDG_CACHE_HOME")) return fs::path(*cache) / "gpscl";
  if (const auto home = environment("HOME")) return fs::path(*home) / ".cache" / "gpscl";
  return {};
}

std::vector<fs::path> data_folders(const fs::path& data) {
  std::vector<fs::path> folders;
  if (!data.empty()) folders.push_back(data);
  if (const auto chosen = environment("GPSCL_DATA")) folders.emplace_back(*chosen);
  if (const fs::path cache = user_cache(); !cache.empty()) folders.push_back(cache);
  folders.emplace_back("/usr/share/datasets");
  return folders;
}

TrainTest load_mnist_like(const std::string& set, const fs::path& data) {
  check_option(data, set + "/");
  std::vector<std::string> looked_in;
  for (const fs::path& folder : data_folders(data)) {
    const fs::path place = folder / set;
    looked_in.push_back(place.string());
    std::array<fs::path, kFiles.size()> found;
    std::size_t present = 0;
    for (std::size_t f = 0; f < kFiles.size(); ++f) {
      found[f] = find_file(place, kFiles[f]);
      if (!found[f].empty()) ++present;
    }
    if (present == 0) continue;
    for (std::size_t f = 0; f < kFiles.size(); ++f) {
      if (found[f].empty()) {
        throw DataError(fmt::format("{}: has {} of the 4 files of {}, but neither {} nor {}.gz",
                                    place.string(), present, set, kFiles[f], kFiles[f]));
      }
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
  const std::string hint =
      set == "fashion-mnist"
          ? "Debian's package dataset-fashion-mnist installs it"
          : "put its four IDX files (plain or .gz) there, or name a folder with --data";
  throw DataError(fmt::format("data set '{}' not found in {}; {}", set, join(looked_in), hint));
}

fs::path locate(const PublishedSet& set, const fs::path& data, const LoadHooks& hooks) {
  check_option(data, fmt::format("{}/ or {}", set.folder, set.archive));
  std::vector<std::string> looked_in;
  for (const fs::path& folder : data_folders(data)) {
    looked_in.push_back(folder.string());
    std::error_code unreachable;
    if (fs::is_directory(folder / set.folder, unreachable)) return folder / set.folder;
    const fs::path archive = folder / set.archive;
    if (!fs::exists(archive, unreachable)) continue;
    const fs::path cache = user_cache();
    if (cache.empty()) {
      throw DataError(fmt::format(
          "{}: there is no place to unpack it; expected $XDG_CACHE_HOME or $HOME to name one",
          archive.string()));
    }
    fs::path found = unpacked(archive, cache, hooks) / set.folder;
    if (fs::is_directory(found, unreachable)) return found;
    throw DataError(fmt::format("{}: holds no folder {}; expected the official archive of {}",
                                archive.string(), set.folder, set.name));
  }
  throw DataError(fmt::format(
      "data set {} not found in {}; put its official archive {} there, or its folder {}/, or name "
      "a folder that has one of them with --data",
      set.name, join(looked_in), set.archive, set.folder));
}

}  // namespace gps
