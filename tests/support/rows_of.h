// What a data set holds, as plain numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "gps/data/dataset.h"

namespace gps::testing {

inline std::vector<std::uint8_t> image(const Dataset& data, std::size_t i) {
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  const std::uint8_t* bytes = data.image(i, scratch);
  return {bytes, bytes + scratch.size()};
}

inline std::vector<std::uint32_t> ids(const Dataset& data) {
  std::vector<std::uint32_t> all;
  for (std::size_t i = 0; i < data.size(); ++i) all.push_back(data.id(i));
  return all;
}

inline std::vector<std::size_t> class_counts(const Dataset& data) {
  std::vector<std::size_t> counts;
  for (const auto& rows : data.rows_by_class()) counts.push_back(rows.size());
  return counts;
}

}  // namespace gps::testing
