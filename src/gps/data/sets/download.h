// One file over HTTP or HTTPS, into a file that grows: what has arrived stays, and the next call
// goes on after it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "gps/core/errors.h"
#include "gps/core/work/clock.h"
#include "gps/data/loading.h"

namespace gps {

// The other side's fault: another source may do better.
class SourceError : public DataError {
 public:
  using DataError::DataError;
};

struct DownloadOptions {
  std::chrono::milliseconds connect{20'000};  // to find the server and agree with it
  std::chrono::milliseconds stall{30'000};    // with hardly a byte: fewer than `least_rate`
  std::uint64_t least_rate = 1024;            // a second, on the average of `stall`
  int redirects = 5;                          // at most, and only to HTTP and HTTPS
  Clock clock = steady_seconds;               // by which it stalls; `connect` is libcurl's affair
};

// For people's eyes: without the user and the password that may stand before the server's name.
std::string shown(const std::string& url);

// Fetches all of `url` into `part`. If that file has bytes already, only the rest is requested. A
// server that cannot do that, has fewer bytes or sends others is asked once for the whole file. On
// return the file is as long as the server announced; the caller checks its content.
//
// Throws SourceError, "URL: what happened" (as shown()), for an answer other than success, too many
// redirects or one to somewhere else than HTTP, a body that ends early or goes on beyond `most`
// bytes, and where hardly anything comes; DataError if the file cannot be written; Interrupted.
// Then `part` keeps the bytes that are good for another try. Uses the proxies of the environment
// ($https_proxy and so on).
void download(const std::string& url, const std::filesystem::path& part, std::uint64_t most,
              const DownloadOptions& options, const LoadHooks& hooks);

}  // namespace gps
