// Weeks of labelled PNG files, for tests of the program.
#pragma once

#include <fmt/format.h>

#include <filesystem>

#include "support/png_file.h"
#include "support/tiny_data.h"

namespace gps::testing {

// FOLDER/class<c>/<n>.png for the classes [first, last) of ten, 8 x 8 grey.
inline void write_week(const std::filesystem::path& folder, int first, int last,
                       std::size_t per_class = 20, std::uint64_t seed = 1) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(last), 0);
  for (int c = first; c < last; ++c) counts[static_cast<std::size_t>(c)] = per_class;
  const Dataset data = tiny_dataset(counts, seed, 8);
  for (std::size_t row = 0; row < data.size(); ++row) {
    const std::uint8_t* const image = data.image(row, {});
    write_file(folder / fmt::format("class{}", data.label(row)) / fmt::format("{:03}.png", row),
               png_file(8, 8, {image, image + 64}));
  }
}

// week1 to week3, two new classes each.
inline void write_weeks(const std::filesystem::path& folder, int weeks = 3) {
  for (int k = 1; k <= weeks; ++k)
    write_week(folder / fmt::format("week{}", k), 2 * k - 2, 2 * k, 20,
               static_cast<std::uint64_t>(k));
}

}  // namespace gps::testing
