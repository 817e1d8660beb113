// What the fuzz targets share. A target is one function that libFuzzer calls with made-up bytes
// (CONTRIBUTING.md, "Fuzzing"). Bytes that are refused with a documented exception are fine. All
// other exceptions, failed checks and reports of the sanitizers are findings.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gps/core/errors.h"
#include "support/temporary_folder.h"

namespace gps::fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string() : std::string(reinterpret_cast<const char*>(data), size);
}

inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Calls `work`. Returns false if it threw a DataError. Other exceptions end the program.
template <typename Work>
bool is_readable(const Work& work) {
  try {
    work();
    return true;
  } catch (const DataError&) {
    return false;
  }
}

// The same for functions whose documentation also names UsageError.
template <typename Work>
bool is_accepted(const Work& work) {
  try {
    return is_readable(work);
  } catch (const UsageError&) {
    return false;
  }
}

// Ends the program if the promise does not hold.
inline void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

// Reads every byte, so that the sanitizers see whether it is there.
inline void touch(std::span<const std::uint8_t> bytes) {
  const volatile std::uint8_t* first = bytes.data();
  for (std::size_t k = 0; k < bytes.size(); ++k) static_cast<void>(first[k]);
}

// Reads the header of an image file, and the image in grey and in colour, with the functions of a
// format.
template <typename IsKind, typename ReadHeader, typename Read>
void check_image_file(std::span<const std::uint8_t> file, const IsKind& is_kind,
                      const ReadHeader& read_header, const Read& read) {
  is_kind(file);
  decltype(read_header(file)) header;
  const bool has_header = is_readable([&] { header = read_header(file); });
  for (const int channels : {1, 3}) {
    decltype(read(file, channels)) image;
    if (!is_readable([&] { image = read(file, channels); })) continue;
    require(has_header, "an image has a header");
    require(image.width == header.width && image.height == header.height,
            "the header has the size of the image");
    require(image.values.size() == static_cast<std::size_t>(image.width) *
                                       static_cast<std::size_t>(image.height) *
                                       static_cast<std::size_t>(image.channels),
            "every pixel has its values");
    require(image.channels <= channels, "there are no more channels than wanted");
  }
}

// An input of several parts. Three bytes before each part but the last have its size, low byte
// first; a size beyond the end means the rest.
inline std::string joined(const std::vector<std::string>& parts) {
  std::string input;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k + 1 < parts.size()) {
      for (const int shift : {0, 8, 16})
        input += static_cast<char>((parts[k].size() >> shift) & 0xFFu);
    }
    input += parts[k];
  }
  return input;
}

// The way back. Parts that are missing are empty.
inline std::vector<std::string> parts_of(std::string_view input, std::size_t count) {
  constexpr std::size_t kSizeBytes = 3;
  std::vector<std::string> parts;
  while (parts.size() + 1 < count && input.size() >= kSizeBytes) {
    std::size_t size = 0;
    for (std::size_t k = 0; k < kSizeBytes; ++k)
      size |= std::size_t{static_cast<unsigned char>(input[k])} << (8 * k);
    input.remove_prefix(kSizeBytes);
    parts.emplace_back(input.substr(0, size));
    input.remove_prefix(parts.back().size());
  }
  parts.emplace_back(input);
  parts.resize(count);
  return parts;
}

// A folder of this process, which all inputs use. scripts/fuzz puts it into memory ($TMPDIR).
inline const std::filesystem::path& folder() {
  static const testing::TemporaryFolder temporary;
  return temporary.path();
}

// Writes the file without syncing it. Makes its folder if necessary.
inline void put(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (!out) {
    std::filesystem::create_directories(file.parent_path());
    out.open(file, std::ios::binary | std::ios::trunc);
  }
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  require(static_cast<bool>(out), "there is room for a file");
}

}  // namespace gps::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
