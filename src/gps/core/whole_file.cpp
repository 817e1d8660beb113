#include "gps/core/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include "gps/core/errors.h"

namespace gps {

namespace fs = std::filesystem;

void write_whole(const fs::path& file, const std::function<void(const fs::path&)>& write) {
  const fs::path unfinished = fmt::format("{}.{}.tmp", file.string(), getpid());
  std::error_code error;
  try {
    write(unfinished);
  } catch (...) {
    fs::remove(unfinished, error);
    throw;
  }
  fs::rename(unfinished, file, error);
  if (!error) return;
  const std::string reason = error.message();
  fs::remove(unfinished, error);
  throw DataError(fmt::format("{}: cannot be written: {}", file.string(), reason));
}

}  // namespace gps
