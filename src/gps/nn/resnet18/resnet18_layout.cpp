#include "gps/nn/resnet18/resnet18_layout.h"

#include <algorithm>

namespace gps {
namespace {

// Returns the taps of a 3 x 3 convolution, or the single tap of a 1 x 1 convolution, with their
// shifts on the output grid.
std::vector<TapPlace> tap_places(std::size_t kernel, std::size_t stride, const ImageGrid& grid) {
  if (kernel == 1) return {{}};
  std::vector<TapPlace> places;
  for (std::size_t t = 0; t < 9; ++t) {
    const int down = static_cast<int>(t / 3) - 1;
    const int right = static_cast<int>(t % 3) - 1;
    if (stride == 1) {
      places.push_back({t, 0, grid.shift(down, right)});
    } else {  // row 2y - 1 is the odd row y - 1, row 2y the even row y, row 2y + 1 the odd row y
      const std::size_t phase = (down == 0 ? 0u : 2u) + (right == 0 ? 0u : 1u);
      places.push_back({t, phase, grid.shift(std::min(down, 0), std::min(right, 0))});
    }
  }
  std::ranges::stable_sort(places, {}, &TapPlace::phase);
  return places;
}

}  // namespace

std::size_t ResNetUnit::weight(std::size_t o, std::size_t i, std::size_t y, std::size_t x) const {
  const std::size_t place = y * kernel + x;
  const std::size_t tap = is_unfolded ? 0 : place;
  const std::size_t input = is_unfolded ? i * kernel * kernel + place : i;
  return weights + tap * shape.tap_size() + o / kPanel * kPanel * shape.inputs + input * kPanel +
         o % kPanel;
}

ResNet18Layout::ResNet18Layout(const ImageShape& shape, std::size_t class_count, std::size_t width)
    : classes(class_count) {
  ImageGrid grid{static_cast<std::size_t>(shape.height), static_cast<std::size_t>(shape.width)};
  add_unit(static_cast<std::size_t>(shape.channels), width, 3, 1, grid);
  std::size_t in = width;
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const std::size_t out = width << stage;
    for (std::size_t k = 0; k < 2; ++k) {
      const bool halves = k == 0 && stage > 0;
      if (halves) grid = grid.halved();
      ResNetBlock block{.stage = stage};
      block.first = add_unit(in, out, 3, halves ? 2 : 1, grid);
      block.second = add_unit(out, out, 3, 1, grid);
      if (halves) block.shortcut = add_unit(in, out, 1, 2, grid);
      blocks.push_back(block);
      in = out;
    }
  }
  features = in;
  feature_stride = whole_panels(in);
  linear = size;
  bias = linear + classes * feature_stride;
  size = bias + whole_panels(classes);
}

std::size_t ResNet18Layout::add_unit(std::size_t in, std::size_t out, std::size_t kernel,
                                     std::size_t stride, ImageGrid grid) {
  ResNetUnit unit{.in = in,
                  .out = out,
                  .kernel = kernel,
                  .stride = stride,
                  .is_unfolded = units.empty(),
                  .grid = grid};
  const std::size_t taps = kernel * kernel;
  unit.shape = unit.is_unfolded ? WeightShape{1, whole_panels(taps * in), whole_panels(out)}
                                : WeightShape{taps, whole_panels(in), whole_panels(out)};
  unit.taps = unit.is_unfolded ? std::vector<TapPlace>(1) : tap_places(kernel, stride, grid);
  unit.weights = size;
  unit.scale = unit.weights + unit.shape.size();
  unit.shift = unit.scale + unit.shape.outputs;
  size = unit.shift + unit.shape.outputs;
  unit.statistics = statistics_size;
  statistics_size += 2 * unit.shape.outputs;
  units.push_back(unit);
  return units.size() - 1;
}

std::size_t ResNet18Layout::parameters() const {
  std::size_t count = classes * features + classes;
  for (const ResNetUnit& unit : units)
    count += unit.in * unit.out * unit.kernel * unit.kernel + 2 * unit.out;
  return count;
}

NamedTensors ResNet18Layout::names() const {
  // The names of each unit's convolution and batch normalisation.
  std::vector<std::pair<std::string, std::string>> pairs(units.size());
  pairs[0] = {"conv1", "bn1"};
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::string block =
        "layer" + std::to_string(blocks[b].stage + 1) + "." + std::to_string(b % 2) + ".";
    pairs[blocks[b].first] = {block + "conv1", block + "bn1"};
    pairs[blocks[b].second] = {block + "conv2", block + "bn2"};
    if (blocks[b].halves())
      pairs[blocks[b].shortcut] = {block + "shortcut.0", block + "shortcut.1"};
  }
  const auto number = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  NamedTensors all;
  for (std::size_t u = 0; u < units.size(); ++u) {
    const ResNetUnit& unit = units[u];
    const std::int64_t out = number(unit.out);
    all.push_back({pairs[u].first + ".weight",
                   {out, number(unit.in), number(unit.kernel), number(unit.kernel)},
                   {}});
    all.push_back({pairs[u].second + ".weight", {out}, {}});
    all.push_back({pairs[u].second + ".bias", {out}, {}});
  }
  all.push_back({"linear.weight", {number(classes), number(features)}, {}});
  all.push_back({"linear.bias", {number(classes)}, {}});
  for (std::size_t u = 0; u < units.size(); ++u) {
    for (const char* statistic : {".running_mean", ".running_var"})
      all.push_back({pairs[u].second + statistic, {number(units[u].out)}, {}});
  }
  return all;
}

}  // namespace gps
