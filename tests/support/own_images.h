// Small streams of PNG images that a network can learn, as users lay them out.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/png_file.h"
#include "support/tiny_data.h"

namespace gps::testing {

// The PNG file of each image of a class of tiny_dataset(). Different for different seeds.
inline std::vector<std::string> images_of_class(std::size_t label, std::size_t count,
                                                std::uint64_t seed = 1, int side = 6) {
  std::vector<std::size_t> counts(label + 1);
  counts[label] = count;
  const Dataset data = tiny_dataset(counts, seed, side);
  std::vector<std::string> files;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::uint8_t* image = data.image(i, {});
    files.push_back(png_file(side, side, {image, image + data.shape().bytes()}));
  }
  return files;
}

// folder/1.png, folder/2.png, …
inline void write_images(const std::filesystem::path& folder, std::size_t label, std::size_t count,
                         std::uint64_t seed = 1, int side = 6) {
  std::size_t number = 0;
  for (const std::string& file : images_of_class(label, count, seed, side))
    write_file(folder / fmt::format("{}.png", ++number), file);
}

// root/<class>/<n>.png
inline void write_classes(const std::filesystem::path& root,
                          const std::vector<std::string>& classes, std::size_t count,
                          std::uint64_t seed = 1) {
  for (std::size_t c = 0; c < classes.size(); ++c) write_images(root / classes[c], c, count, seed);
}

}  // namespace gps::testing
