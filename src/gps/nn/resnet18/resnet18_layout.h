// The structure of ResNet18 for small images, and the places of its parameters in θ. It has a 3 x 3
// convolution, four stages of two blocks with width · {1, 2, 4, 8} channels, average pooling and a
// linear layer. Every convolution is followed by batch normalisation; the two form a unit. A block
// is two 3 x 3 units, with its input added before the last ReLU. The first block of stages 2 to 4
// halves the image, and has a 1 x 1 unit in its shortcut.
//
// A convolution with stride 2 sees its input as four images of half the size, the phases: the
// pixels of even or odd rows and even or odd columns. Each of its taps then reads one phase at a
// fixed shift, so it can also use shifted_products.h. The first convolution sees the 3 x 3
// neighbourhood of a pixel as channels, and has one tap.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "gps/data/dataset.h"
#include "gps/nn/named_tensor.h"
#include "gps/nn/resnet18/image_grid.h"
#include "gps/nn/resnet18/shifted_products.h"

namespace gps {

inline constexpr std::size_t kPhases = 4;

struct TapPlace {
  std::size_t tap = 0;
  std::size_t phase = 0;
  std::ptrdiff_t shift = 0;
};

struct ResNetUnit {
  std::size_t in = 0;  // channels
  std::size_t out = 0;
  std::size_t kernel = 3;
  std::size_t stride = 1;
  bool is_unfolded = false;  // true for the first unit
  ImageGrid grid = {};       // of the output
  WeightShape shape = {};
  std::vector<TapPlace> taps = {};  // sorted by phase
  // Offsets in θ: weights as in shifted_products.h, then scale and shift, shape.outputs each.
  std::size_t weights = 0;
  std::size_t scale = 0;
  std::size_t shift = 0;
  std::size_t statistics = 0;  // offset of the running mean; the variance follows

  // Returns the offset in θ of PyTorch's weight [o][i][y][x].
  std::size_t weight(std::size_t o, std::size_t i, std::size_t y, std::size_t x) const;
};

struct ResNetBlock {
  std::size_t stage = 0;
  std::size_t first = 0;  // index of a unit, as the next two
  std::size_t second = 0;
  std::size_t shortcut = 0;  // 0: the shortcut is the input itself
  bool halves() const { return shortcut != 0; }
};

class ResNet18Layout {
 public:
  ResNet18Layout(const ImageShape& shape, std::size_t classes, std::size_t width);

  std::vector<ResNetUnit> units;  // in PyTorch's order
  std::vector<ResNetBlock> blocks;
  std::size_t classes = 0;
  std::size_t features = 0;
  std::size_t feature_stride = 0;
  std::size_t linear = 0;  // offset in θ of [classes][feature_stride]
  std::size_t bias = 0;
  std::size_t size = 0;             // of θ
  std::size_t statistics_size = 0;  // of the running statistics

  std::size_t parameters() const;  // without padding

  // Returns PyTorch's names and shapes of the parameters, then of the running statistics, without
  // values.
  NamedTensors names() const;

  // Calls visit(offset in θ) in the order of PyTorch's parameters().
  template <typename Visit>
  void for_each_parameter(const Visit& visit) const {
    for (const ResNetUnit& unit : units) {
      for (std::size_t o = 0; o < unit.out; ++o) {
        for (std::size_t i = 0; i < unit.in; ++i) {
          for (std::size_t y = 0; y < unit.kernel; ++y) {
            for (std::size_t x = 0; x < unit.kernel; ++x) visit(unit.weight(o, i, y, x));
          }
        }
      }
      for (std::size_t o = 0; o < unit.out; ++o) visit(unit.scale + o);
      for (std::size_t o = 0; o < unit.out; ++o) visit(unit.shift + o);
    }
    for (std::size_t c = 0; c < classes; ++c) {
      for (std::size_t f = 0; f < features; ++f) visit(linear + c * feature_stride + f);
    }
    for (std::size_t c = 0; c < classes; ++c) visit(bias + c);
  }

  // Calls visit(offset in the running statistics): each unit's means, then its variances.
  template <typename Visit>
  void for_each_statistic(const Visit& visit) const {
    for (const ResNetUnit& unit : units) {
      for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t o = 0; o < unit.out; ++o)
          visit(unit.statistics + k * unit.shape.outputs + o);
      }
    }
  }

 private:
  std::size_t add_unit(std::size_t in, std::size_t out, std::size_t kernel, std::size_t stride,
                       ImageGrid grid);
};

}  // namespace gps
