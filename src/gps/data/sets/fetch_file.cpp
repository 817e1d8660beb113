#include "gps/data/sets/fetch_file.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "gps/core/errors.h"
#include "gps/core/text/text.h"
#include "gps/data/sets/checksum.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

// Returns the largest acceptable size of a file: if gzipped again, it may be longer than the
// published one.
std::uint64_t most_bytes(const PublishedSet& set, const PublishedFile& file) {
  return set.is_archive() ? file.bytes : 4 * file.bytes + 4096;
}

// Returns what is wrong with the file; empty if it is the published one.
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

// Fetches the whole file from this address and checks it. Throws SourceError.
void fetch_from(const std::string& url, const PublishedSet& set, const PublishedFile& file,
                const fs::path& part, const DownloadOptions& options, const LoadHooks& hooks) {
  while (true) {
    const bool goes_on = size_of(part) > 0;
    download(url, part, most_bytes(set, file), options, hooks);
    const std::string flaw = flaw_in(set, file, part, hooks);
    if (flaw.empty()) return;
    fs::remove(part);
    // The earlier bytes may have belonged to another file, so try once more from the beginning.
    if (!goes_on) throw SourceError(fmt::format("{}: {}", shown(url), flaw));
  }
}

}  // namespace

std::uint64_t size_of(const fs::path& file) {
  std::error_code none;
  const std::uintmax_t size = fs::file_size(file, none);
  return none ? 0 : size;
}

void fetch_file(const PublishedSet& set, const PublishedFile& file, const fs::path& folder,
                const std::string& mirror, const DownloadOptions& options, const LoadHooks& hooks) {
  constexpr int kRounds = 3;
  const fs::path whole = folder / file.name;
  if (fs::exists(whole) && flaw_in(set, file, whole, hooks).empty()) return;
  const fs::path part = whole.string() + ".part";
  std::vector<std::string> urls;
  for (const std::string& source : set.sources) urls.push_back(source + file.name);
  if (!mirror.empty()) {
    const bool has_slash = mirror.ends_with('/');
    urls = {fmt::format("{}{}{}/{}", mirror, has_slash ? "" : "/", set.name, file.name)};
  }
  const std::vector<std::string> all = urls;
  std::map<std::string, std::string> failures;  // the last failure of each address
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
  throw DataError(fmt::format("{} of {} cannot be downloaded: {}{}", file.name, set.title,
                              join(reasons, "; "),
                              mirror.empty() ? "; set another source with `mirror` URL" : ""));
}

}  // namespace gps
