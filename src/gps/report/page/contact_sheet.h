// The images of a memory on one sheet: a PNG of equal tiles, row by row.
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
  std::size_t stored = 0;   // images of the memory, of which the sheet may show fewer
  std::vector<Tile> tiles;  // in the order in which they lie
  std::string png;
};

// Sheets stay small: images wider than 32 pixels are shrunk by a whole factor, and of more than
// `most` images every second, third, … of each task is shown. REQUIRES: some images, grey or in
// colour.
ContactSheet contact_sheet(const ExportedMemory& memory, std::size_t most = 2000);

}  // namespace gps
