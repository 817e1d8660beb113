// The images of a memory on one sheet: a PNG with equal tiles, row by row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gps/experiments/export/export.h"

namespace gps {

struct ContactSheet {
  struct Tile {
    int task = 0;
    int label = 0;
    bool is_in_ring = false;
  };
  int width = 0;  // of a tile
  int height = 0;
  int columns = 0;
  bool is_put_back = false;
  std::size_t stored = 0;   // images in the memory; the sheet may show fewer
  std::vector<Tile> tiles;  // in the order on the sheet
  std::string png;
};

// Keeps the sheet small: images wider than 32 pixels are shrunk by a whole factor, and with more
// than `most` images only every second, third, … of each task is shown. REQUIRES: at least one
// image, grey or in colour.
ContactSheet contact_sheet(const ExportedMemory& memory, std::size_t most = 2000);

}  // namespace gps
