// Numbers with a name, as in PyTorch's state_dict(): the form of weights outside a network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gps {

struct NamedTensor {
  std::string name;  // "layer1.0.conv1.weight"
  std::vector<std::int64_t> shape;
  std::vector<float> values;  // row by row

  friend bool operator==(const NamedTensor&, const NamedTensor&) = default;
};

using NamedTensors = std::vector<NamedTensor>;

// "[64, 3, 3, 3]"
inline std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t k = 0; k < shape.size(); ++k)
    text += (k > 0 ? ", " : "") + std::to_string(shape[k]);
  return text + "]";
}

}  // namespace gps
