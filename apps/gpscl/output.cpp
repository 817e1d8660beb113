#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gps/core/errors.h"
#include "gps/core/files.h"

namespace gps::cli {
namespace {

namespace fs = std::filesystem;

// There, and neither a file nor a folder; what /dev/stdout leads to may be a file, and is no file
// to replace.
bool is_device(const std::string& path) {
  std::error_code unknown;
  return fs::is_other(path, unknown) || path.starts_with("/dev/std");
}

[[noreturn]] void refuse(const std::string& output) {
  throw DataError(output + ": cannot be written");
}

}  // namespace

void check_output(const std::string& output) {
  if (output.empty()) return;
  if (!is_device(output)) {
    check_can_be_written(output);
  } else if (access(output.c_str(), W_OK) != 0) {
    refuse(output);
  }
}

void write_output(const std::string& text, const std::string& output) {
  if (output.empty()) {
    fmt::print("{}", text);
  } else if (is_device(output)) {
    std::ofstream out(output, std::ios::binary);
    out << text;
    out.close();
    if (!out) refuse(output);
  } else {
    write_file(output, text);
  }
}

}  // namespace gps::cli
