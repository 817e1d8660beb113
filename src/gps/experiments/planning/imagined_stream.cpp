#include "gps/experiments/planning/imagined_stream.h"

#include <algorithm>

#include "gps/data/transforms.h"
#include "gps/simulation/global_sim.h"

namespace gps {

ImaginedStream::ImaginedStream(const Task& first, int tasks, std::size_t tested, const Rng& rng)
    : maps_(static_cast<std::size_t>(tasks)), rng_(rng.fork("imagined stream")) {
  const auto is_held_back = hold_back(first.train, Score::balanced, tested, rng_.fork("hold back"));
  std::vector<std::uint32_t> held;
  std::vector<std::uint32_t> rest;
  for (std::uint32_t row = 0; row < is_held_back.size(); ++row)
    (is_held_back[row] ? held : rest).push_back(row);
  held_back_ = first.train.subset(held);
  first_ = {1, first.train.subset(rest), first.labels, first.augmentation};
  for (int k = 2; k <= tasks; ++k)
    maps_[static_cast<std::size_t>(k) - 1] =
        random_pixel_map(first.train.shape(), rng_.fork("permutation", k));
}

Task ImaginedStream::task(int k, std::size_t examples) const {
  const PixelMap& map = maps_[static_cast<std::size_t>(k) - 1];
  const auto order = rng_.fork("examples", k).permutation(first_.train.size());
  const auto rows = std::span(order).first(std::min(examples, order.size()));
  Task task{k, first_.train.subset(rows), first_.labels, first_.augmentation};
  if (map.empty()) return task;
  task.train = task.train.rearranged(map).materialised();
  if (!task.augmentation.is_none()) task.arrangement = std::make_shared<const PixelMap>(map);
  return task;
}

Dataset ImaginedStream::test(int k) const {
  const PixelMap& map = maps_[static_cast<std::size_t>(k) - 1];
  return map.empty() ? held_back_ : held_back_.rearranged(map);
}

}  // namespace gps
