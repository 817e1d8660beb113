#include "terminal/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"

namespace gps::cli {
namespace {

namespace fs = std::filesystem;

bool is_device(const std::string& path) {
  std::error_code unknown;
  return fs::is_other(path, unknown);
}

// Returns the target of a link, or the path itself if nothing exists there yet.
fs::path target_of(const std::string& output) {
  std::error_code error;
  const fs::path target = fs::canonical(output, error);
  return error ? fs::path(output) : target;
}

[[noreturn]] void refuse(const std::string& output) {
  throw DataError(output + ": cannot be written");
}

}  // namespace

bool is_standard_output(const std::string& output) {
  return output.empty() || output == "-" || output == "/dev/stdout" || output == "/dev/fd/1";
}

void check_output(const std::string& output) {
  if (is_standard_output(output)) return;
  if (!is_device(output)) {
    check_can_be_written(target_of(output));
  } else if (access(output.c_str(), W_OK) != 0) {
    refuse(output);
  }
}

void write_output(const std::string& text, const std::string& output) {
  if (is_standard_output(output)) {
    fmt::print("{}", text);
  } else if (is_device(output)) {
    std::ofstream out(output, std::ios::binary);
    out << text;
    out.close();
    if (!out) refuse(output);
  } else {
    write_file(target_of(output), text);
  }
}

}  // namespace gps::cli
