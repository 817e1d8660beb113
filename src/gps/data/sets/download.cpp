#include "gps/data/sets/download.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "gps/core/text/numbers.h"
#include "gps/core/version.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

// A file to which bytes are appended.
class GrowingFile {
 public:
  explicit GrowingFile(const fs::path& path)
      : path_(path), descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) fail();
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) fail();
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~GrowingFile() { close(descriptor_); }
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  std::uint64_t size() const { return size_; }

  void clear() {
    if (ftruncate(descriptor_, 0) != 0) fail();
    size_ = 0;
  }

  void append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written =
          pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      bytes.remove_prefix(static_cast<std::size_t>(written));
      size_ += static_cast<std::uint64_t>(written);
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw DataError(fmt::format("{}: cannot be written: {}", path_.string(),
                                std::generic_category().message(errno)));
  }

  fs::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

std::optional<std::uint64_t> number_at(std::string_view text) {
  const auto read = read_number<std::uint64_t>(text);
  if (read.length == 0 || read.is_out_of_range) return std::nullopt;
  return read.value;
}

// "bytes 100-199/200" or "bytes */200": the first byte of the part, and the size of the whole file.
struct ContentRange {
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> total;
};

ContentRange content_range(std::string_view value) {
  value.remove_prefix(std::min(value.find_first_of("0123456789*"), value.size()));
  ContentRange range{number_at(value), {}};
  const std::size_t slash = value.find('/');
  if (slash != std::string_view::npos) range.total = number_at(value.substr(slash + 1));
  return range;
}

// Returns the text after "name:" in a header line, in any letter case.
std::optional<std::string_view> header_value(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':') return std::nullopt;
  if (strncasecmp(line.data(), name.data(), name.size()) != 0) return std::nullopt;
  return line.substr(name.size() + 1);
}

// Returns where the server's name begins and ends in a URL, including a user name and password.
std::pair<std::size_t, std::size_t> authority(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  return {begin, std::min(url.find_first_of("/?#", begin), url.size())};
}

// "downloading a.zip from example.org"
std::string description(const std::string& url) {
  const std::string open = shown(url);
  const auto [begin, end] = authority(open);
  return fmt::format("downloading {} from {}", open.substr(open.rfind('/') + 1),
                     open.substr(begin, end - begin));
}

// The answer does not continue the bytes that we have: the server may have another file or report
// wrong ranges.
struct CannotGoOn {};

// One request for a file from byte `from`, which is the end of the existing bytes or 0. The
// existing bytes are kept until the whole file begins to arrive.
class Transfer {
 public:
  Transfer(const std::string& url, GrowingFile& file, std::uint64_t from, std::uint64_t most,
           const DownloadOptions& options, const LoadHooks& hooks)
      : url_(url), file_(file), most_(most), options_(options), hooks_(hooks), from_(from) {
    if (!easy_ || !multi_) throw std::bad_alloc();
    set(CURLOPT_URL, url_.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, static_cast<long>(options_.redirects));
    set(CURLOPT_CONNECTTIMEOUT_MS,
        static_cast<long>(std::max(options_.connect, options_.stall).count()));
    set(CURLOPT_FAILONERROR, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_USERAGENT, agent_.c_str());
    set(CURLOPT_ERRORBUFFER, reason_.data());
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &on_body);
    set(CURLOPT_WRITEDATA, this);
    if (from_ > 0) set(CURLOPT_RANGE, range_.c_str());
    curl_multi_add_handle(multi_.get(), easy_.get());
  }
  ~Transfer() { curl_multi_remove_handle(multi_.get(), easy_.get()); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Throws CannotGoOn if `from` is not 0 and the answer does not continue the existing bytes.
  void run() {
    const CURLcode code = perform();
    if (failure_) std::rethrow_exception(failure_);
    if (status() == 416 && from_ > 0) {
      if (total_ != from_) throw CannotGoOn{};
      return;
    }
    if (code != CURLE_OK) refuse(reason_[0] != '\0' ? reason_.data() : curl_easy_strerror(code));
    if (!has_begun_) begin();  // the body was empty
    if (!total_ || file_.size() == *total_) return;
    if (from_ > 0 && file_.size() == from_) throw CannotGoOn{};
    refuse(fmt::format("ended after {} bytes; the server announced {}", file_.size(), *total_));
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    if (curl_easy_setopt(easy_.get(), option, value) != CURLE_OK)
      throw std::runtime_error("libcurl is too old");
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw SourceError(fmt::format("{}: {}", shown(url_), reason));
  }

  long status() const {
    long code = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &code);
    return code;
  }

  CURLcode perform() {
    const double stall = std::chrono::duration<double>(options_.stall).count();
    const auto least = static_cast<std::uint64_t>(
        std::ceil(static_cast<double>(options_.least_rate) * std::max(stall, 0.0)));
    double since = options_.clock();
    std::uint64_t size = file_.size();
    int running = 1;
    while (running > 0) {
      if (curl_multi_perform(multi_.get(), &running) != CURLM_OK) refuse("libcurl fails");
      hooks_.check_stop();
      curl_off_t connected = 0;
      curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
      const double now = options_.clock();
      if (connected == 0 || file_.size() >= size + least || file_.size() < size) {
        since = now;
        size = file_.size();
      } else if (running > 0 && now - since > stall) {
        refuse(fmt::format("sent {} bytes in {:g} seconds", file_.size() - size, stall));
      }
      if (running > 0) curl_multi_poll(multi_.get(), nullptr, 0, /*timeout_ms=*/100, nullptr);
    }
    int left = 0;
    const CURLMsg* message = curl_multi_info_read(multi_.get(), &left);
    return message != nullptr ? message->data.result : CURLE_RECV_ERROR;
  }

  // Exceptions must not pass through libcurl, so they are stored until it has returned.
  template <typename Work>
  static std::size_t guarded(void* self, std::size_t count, const Work& work) {
    auto& transfer = *static_cast<Transfer*>(self);
    try {
      work(transfer);
      return count;
    } catch (...) {
      transfer.failure_ = std::current_exception();
      return count == 0 ? 1 : 0;  // any value but the count ends the transfer
    }
  }

  static std::size_t on_header(const char* line, std::size_t /*one*/, std::size_t count,
                               void* self) {
    return guarded(self, count, [&](Transfer& transfer) { transfer.read_header({line, count}); });
  }

  static std::size_t on_body(const char* bytes, std::size_t /*one*/, std::size_t count,
                             void* self) {
    return guarded(self, count, [&](Transfer& transfer) { transfer.receive({bytes, count}); });
  }

  void read_header(std::string_view line) {
    constexpr std::size_t kMost = 1u << 18;
    header_bytes_ += line.size();
    if (header_bytes_ > kMost) refuse("sends a header that is too long");
    if (line.starts_with("HTTP/")) range_sent_ = {};  // each redirect has its own header
    if (const auto value = header_value(line, "content-range")) range_sent_ = content_range(*value);
    if (status() == 416) total_ = range_sent_.total;
  }

  void begin() {
    has_begun_ = true;
    curl_off_t length = -1;
    curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (status() == 206 && from_ > 0) {
      if (range_sent_.first != from_) throw CannotGoOn{};
      total_ = range_sent_.total;
    } else if (status() == 200) {
      file_.clear();
      if (length >= 0) total_ = static_cast<std::uint64_t>(length);
    } else {
      refuse(fmt::format("answered with HTTP status {}; expected 200", status()));
    }
    check_size(total_.value_or(0));
  }

  void receive(std::string_view bytes) {
    if (!has_begun_) begin();
    check_size(file_.size() + bytes.size());
    file_.append(bytes);
    hooks_.report({what_, file_.size(), total_.value_or(0), LoadProgress::Unit::bytes});
  }

  void check_size(std::uint64_t size) {
    if (size <= most_) return;
    file_.clear();  // these bytes are not the beginning of the wanted file
    refuse(fmt::format("sends more than {} bytes; expected a file of at most that", most_));
  }

  std::string url_;
  GrowingFile& file_;
  std::uint64_t most_;
  DownloadOptions options_;
  const LoadHooks& hooks_;
  std::uint64_t from_;
  std::string range_ = fmt::format("{}-", from_);
  std::string agent_ = fmt::format("gpscl/{}", kVersion);
  std::string what_ = description(url_);
  std::array<char, CURL_ERROR_SIZE> reason_{};
  std::exception_ptr failure_;
  ContentRange range_sent_;
  std::size_t header_bytes_ = 0;
  std::optional<std::uint64_t> total_;
  bool has_begun_ = false;
  std::unique_ptr<CURLM, CURLMcode (*)(CURLM*)> multi_{curl_multi_init(), &curl_multi_cleanup};
  std::unique_ptr<CURL, void (*)(CURL*)> easy_{curl_easy_init(), &curl_easy_cleanup};
};

}  // namespace

std::string shown(const std::string& url) {
  const auto [begin, end] = authority(url);
  const std::size_t at = url.substr(0, end).rfind('@');
  if (at == std::string::npos || at < begin) return url;
  return url.substr(0, begin) + url.substr(at + 1);
}

void download(const std::string& url, const fs::path& part, std::uint64_t most,
              const DownloadOptions& options, const LoadHooks& hooks) {
  static const CURLcode is_ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (is_ready != CURLE_OK) throw std::runtime_error(curl_easy_strerror(is_ready));
  GrowingFile file(part);
  if (file.size() > most) file.clear();
  try {
    Transfer(url, file, file.size(), most, options, hooks).run();
  } catch (const CannotGoOn&) {
    Transfer(url, file, 0, most, options, hooks).run();
  }
}

}  // namespace gps
