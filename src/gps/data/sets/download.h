// Downloads one file over HTTP or HTTPS into a file that grows. Received bytes are kept, and the
// next call continues after them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "gps/core/errors.h"
#include "gps/core/work/clock.h"
#include "gps/data/loading.h"

namespace gps {

// The fault is at the source; another source may work.
class SourceError : public DataError {
 public:
  using DataError::DataError;
};

struct DownloadOptions {
  // Finding and connecting to the server may take as long as the larger of the first two.
  std::chrono::milliseconds connect{20'000};
  std::chrono::milliseconds stall{30'000};  // longest time below `least_rate`
  std::uint64_t least_rate = 1024;          // bytes per second, averaged over `stall`
  int redirects = 5;                        // at most, and only to HTTP and HTTPS
  Clock clock = steady_seconds;             // measures stalls; libcurl measures `connect`
};

// Returns the URL for display, without the user name and the password before the server's name.
std::string shown(const std::string& url);

// Downloads all of `url` into `part`. If that file already has bytes, requests only the rest. If
// the server cannot continue, has fewer bytes or sends another range, requests the whole file once.
// On return the file is as long as the server announced; the caller checks its content.
//
// Throws SourceError, "URL: what happened" (as shown()), for an answer other than success, too many
// redirects, a redirect to something other than HTTP, a body that ends early or exceeds `most`
// bytes, and a stalled transfer. Throws DataError if the file cannot be written, and Interrupted.
// Then `part` keeps the bytes that another try can use. Uses the proxies of the environment
// ($https_proxy and so on).
void download(const std::string& url, const std::filesystem::path& part, std::uint64_t most,
              const DownloadOptions& options, const LoadHooks& hooks);

}  // namespace gps
