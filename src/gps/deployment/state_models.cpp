#include "gps/deployment/state_models.h"

#include <fmt/format.h>

#include <system_error>

#include "gps/core/files/files.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

// Returns whether it was copied.
bool copy_in(const std::string& file, const std::string& print, const fs::path& copy,
             const char* what) {
  std::error_code ignored;
  const bool exists = fs::exists(fs::symlink_status(copy, ignored));
  if (exists && !fs::equivalent(file, copy, ignored)) {
    // A call that was killed leaves the copy of the same file.
    if (fs::is_regular_file(copy, ignored) && fingerprint(copy.string()) == print) return false;
    throw DataError(
        fmt::format("{}: is another {} than {}; move it away, or use a new or empty folder",
                    copy.string(), what, file));
  }
  const bool is_copied = !exists;
  if (is_copied) write_file(copy, read_file(file));
  if (fingerprint(copy.string()) == print) return is_copied;
  if (is_copied) fs::remove(copy, ignored);
  throw DataError(fmt::format("{}: has changed since this call began", file));
}

}  // namespace

std::vector<fs::path> copy_models(const LearnOptions& options, const fs::path& folder) {
  const NetworkOptions& network = options.method.network;
  std::vector<fs::path> copied;
  try {
    if (is_file(network.model) &&
        copy_in(network.model, network.model_fingerprint, folder / kModelFile, "model"))
      copied.push_back(folder / kModelFile);
    if (options.has_backbone() &&
        copy_in(network.backbone, network.backbone_fingerprint, folder / kBackboneFile, "backbone"))
      copied.push_back(folder / kBackboneFile);
  } catch (const DataError&) {
    std::error_code ignored;
    for (const fs::path& copy : copied) fs::remove(copy, ignored);
    throw;
  }
  return copied;
}

}  // namespace gps
