#include "gps/data/sets/installed_sums.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"
#include "gps/core/text/text.h"
#include "gps/data/sets/checksum.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

// Returns the sizes of the files below the folder by name, without the list of sums. Throws
// DataError for anything but files and folders, such as links.
std::map<std::string, std::uint64_t> files_below(const fs::path& folder) {
  std::map<std::string, std::uint64_t> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory() && !entry.is_symlink()) continue;
    if (entry.is_symlink() || !entry.is_regular_file())
      refuse(entry.path(), "is neither a file nor a folder");
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    if (name.find_first_of("\n\\") != std::string::npos)
      refuse(entry.path(), "has a name that no data set uses");
    if (name != kSumsFile) files[name] = entry.file_size();
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

std::map<std::string, std::string> read_sums(const fs::path& folder) {
  constexpr std::size_t kDigits = 64;
  std::map<std::string, std::string> sums;
  for (const std::string& line : split(read_file(folder / kSumsFile), '\n')) {
    if (line.empty() || line.front() == '#') continue;
    if (line.size() < kDigits + 3 || line.substr(kDigits, 2) != "  ")
      refuse(folder / kSumsFile,
             fmt::format("'{}' is not a checksum and a file name", line.substr(0, 80)));
    sums[line.substr(kDigits + 2)] = line.substr(0, kDigits);
  }
  return sums;
}

}  // namespace

void write_sums(const PublishedSet& set, const fs::path& folder, const LoadHooks& hooks) {
  std::string text = fmt::format("# {}, installed by gpscl data get {}\n", set.title, set.name);
  for_each_sum(set, folder, hooks, [&](const std::string& name, const std::string& sum) {
    text += fmt::format("{}  {}\n", sum, name);
  });
  write_file(folder / kSumsFile, text);
}

void check_sums(const PublishedSet& set, const fs::path& folder, const LoadHooks& hooks) {
  std::map<std::string, std::string> sums = read_sums(folder);
  for_each_sum(set, folder, hooks, [&](const std::string& name, const std::string& sum) {
    const auto expected = sums.find(name);
    if (expected == sums.end()) refuse(folder / name, "is not a file of the set");
    if (expected->second != sum)
      refuse(folder / name,
             fmt::format("was changed: its SHA-256 is {}; expected {}", sum, expected->second));
    sums.erase(expected);
  });
  if (!sums.empty()) refuse(folder / sums.begin()->first, "is missing");
}

}  // namespace gps
