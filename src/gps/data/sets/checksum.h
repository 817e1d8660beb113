// SHA-256 (FIPS 180-4), to check that a file is the published one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gps/data/loading.h"

namespace gps {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  // Returns 64 hexadecimal digits in lower case. REQUIRES: called once, at the end.
  std::string digits();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns the sum of a file. Throws DataError if the file cannot be read, and Interrupted.
std::string sha256_of(const std::filesystem::path& file, const LoadHooks& hooks = {});

// Returns the sum of the content of a gzipped file (of the file itself if it is not gzipped).
// Returns none if the file is damaged or its content has more than `most` bytes. Throws likewise.
std::optional<std::string> sha256_of_content(const std::filesystem::path& file, std::uint64_t most,
                                             const LoadHooks& hooks = {});

}  // namespace gps
