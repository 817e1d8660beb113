#include "gps/report/page/contact_sheet.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "gps/experiments/export/png.h"

namespace gps {
namespace {

constexpr int kWidest = 32;

// Returns the images to show: all, or every n-th of each task.
std::vector<std::size_t> shown(const ExportedMemory& memory, std::size_t most) {
  const std::size_t every = (memory.tasks.size() + most - 1) / most;
  std::map<int, std::size_t> seen;
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < memory.tasks.size(); ++k) {
    if (seen[memory.tasks[k]]++ % every == 0) rows.push_back(k);
  }
  return rows;
}

}  // namespace

ContactSheet contact_sheet(const ExportedMemory& memory, std::size_t most) {
  const ImageShape& shape = memory.shape;
  const int factor = std::min((shape.width + kWidest - 1) / kWidest, shape.height);
  const bool is_colour = shape.channels == 3;
  const std::vector<std::size_t> rows = shown(memory, most);
  ContactSheet sheet;
  sheet.width = shape.width / factor;
  sheet.height = shape.height / factor;
  sheet.columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(rows.size()))));
  sheet.is_put_back = memory.is_put_back;
  sheet.stored = memory.tasks.size();
  const auto columns = static_cast<std::size_t>(sheet.columns);
  const auto lines = (rows.size() + columns - 1) / columns;
  const auto tile_width = static_cast<std::size_t>(sheet.width);
  const auto tile_height = static_cast<std::size_t>(sheet.height);
  const std::size_t channels = is_colour ? 3 : 1;
  std::vector<std::uint8_t> pixels(columns * tile_width * lines * tile_height * channels);
  const auto step = static_cast<std::size_t>(factor);
  const auto source_width = static_cast<std::size_t>(shape.width);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::size_t row = rows[k];
    sheet.tiles.push_back({memory.tasks[row], memory.labels[row], memory.is_in_ring[row]});
    const std::uint8_t* image = memory.images.data() + row * shape.bytes();
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t y = 0; y < tile_height; ++y) {
        for (std::size_t x = 0; x < tile_width; ++x) {
          std::size_t total = 0;
          for (std::size_t dy = 0; dy < step; ++dy) {
            for (std::size_t dx = 0; dx < step; ++dx)
              total += image[c * shape.pixels() + (y * step + dy) * source_width + x * step + dx];
          }
          const std::size_t line = k / columns * tile_height + y;
          const std::size_t column = k % columns * tile_width + x;
          pixels[(line * columns * tile_width + column) * channels + c] =
              static_cast<std::uint8_t>(total / (step * step));
        }
      }
    }
  }
  sheet.png = png_of({static_cast<int>(lines * tile_height), static_cast<int>(columns * tile_width),
                      static_cast<int>(channels), std::move(pixels)});
  return sheet;
}

}  // namespace gps
