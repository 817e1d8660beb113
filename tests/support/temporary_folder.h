// A folder that is gone when the test is over.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace gps::testing {

class TemporaryFolder {
 public:
  explicit TemporaryFolder(
      const std::filesystem::path& below = std::filesystem::temp_directory_path()) {
    std::string name = (below / "gpscl-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Where files that are synced all the time cost nothing, however busy the disk is, if there is such
// a place and it has room for what a test writes.
inline std::filesystem::path in_memory() {
  constexpr std::uintmax_t kRoom = std::uintmax_t{32} << 20;
  const std::filesystem::path shared = "/dev/shm";
  std::error_code unknown;
  const bool has_room = access(shared.c_str(), W_OK) == 0 &&
                        std::filesystem::space(shared, unknown).available >= kRoom && !unknown;
  return has_room ? shared : std::filesystem::temp_directory_path();
}

}  // namespace gps::testing
