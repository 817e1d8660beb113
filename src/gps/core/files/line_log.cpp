#include "gps/core/files/line_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

class LogDescriptor {
 public:
  LogDescriptor(const fs::path& path, int flags)
      : value_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~LogDescriptor() {
    if (value_ >= 0) close(value_);
  }
  LogDescriptor(const LogDescriptor&) = delete;
  LogDescriptor& operator=(const LogDescriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

[[noreturn]] void refuse_log(const fs::path& path, int why) {
  throw DataError(fmt::format("{}: cannot be written: {}", path.string(),
                              std::generic_category().message(why)));
}

bool is_absent(const fs::path& path) {
  std::error_code error;
  return fs::status(path, error).type() == fs::file_type::not_found;
}

bool write_fully(int descriptor, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = write(descriptor, bytes.data() + at, bytes.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    at += static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

std::vector<std::string> read_whole_lines(const fs::path& path) {
  if (is_absent(path)) return {};
  const std::string bytes = read_file(path);
  std::vector<std::string> lines;
  std::size_t first = 0;
  for (std::size_t end = bytes.find('\n'); end != std::string::npos;
       end = bytes.find('\n', first)) {
    lines.push_back(bytes.substr(first, end - first));
    first = end + 1;
  }
  return lines;
}

std::size_t remove_torn_line(const fs::path& path) {
  if (is_absent(path)) return 0;
  const std::string bytes = read_file(path);
  const std::size_t end = bytes.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  if (whole == bytes.size()) return 0;
  const LogDescriptor log(path, O_WRONLY);
  if (log.get() < 0 || ftruncate(log.get(), static_cast<off_t>(whole)) != 0 ||
      fsync(log.get()) != 0)
    refuse_log(path, errno);
  return bytes.size() - whole;
}

void append_line(const fs::path& path, const std::string& line) {
  const bool is_new = is_absent(path);
  const LogDescriptor log(path, O_WRONLY | O_APPEND | O_CREAT);
  if (log.get() < 0) refuse_log(path, errno);
  const off_t before = lseek(log.get(), 0, SEEK_END);
  if (before < 0) refuse_log(path, errno);
  if (!write_fully(log.get(), line + "\n") || fsync(log.get()) != 0) {
    const int why = errno;
    if (ftruncate(log.get(), before) == 0) fsync(log.get());
    refuse_log(path, why);
  }
  if (is_new) sync_folder(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

}  // namespace gps
