// Searches the files of a state for the bytes of an image.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gps/core/files/files.h"
#include "gps/deployment/stored/stored_images.h"

namespace gps::testing {

// An image as it lies in files: its pixels, and what the memory's codec makes of them.
inline std::vector<std::string> forms_of(std::span<const std::uint8_t> pixels,
                                         const Memory& memory) {
  const auto text = [](const std::uint8_t* bytes, std::size_t size) {
    return std::string(reinterpret_cast<const char*>(bytes), size);
  };
  return {text(pixels.data(), pixels.size()),
          text(memory.stored(pixels).get(), memory.stored_bytes())};
}

// The files below the folder that contain one of these texts.
inline std::vector<std::string> files_with(const std::filesystem::path& folder,
                                           const std::vector<std::string>& texts) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string bytes = read_file(entry.path());
    for (const std::string& text : texts) {
      if (bytes.find(text) == std::string::npos) continue;
      found.push_back(entry.path().filename().string());
      break;
    }
  }
  return found;
}

}  // namespace gps::testing
