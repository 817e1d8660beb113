// SHA-256 (FIPS 180-4), which tells a published file from any other.
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
  // 64 hexadecimal digits in small letters. REQUIRES: called once, at the end.
  std::string digits();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Of a file. Throws DataError if it cannot be read, Interrupted.
std::string sha256_of(const std::filesystem::path& file, const LoadHooks& hooks = {});

// Of what a gzipped file holds (of the file itself, if it is not gzipped). None if it is damaged,
// or holds more than `most` bytes: then nobody wants to know the rest. Throws likewise.
std::optional<std::string> sha256_of_content(const std::filesystem::path& file, std::uint64_t most,
                                             const LoadHooks& hooks = {});

}  // namespace gps
