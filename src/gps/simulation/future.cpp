#include "gps/simulation/future.h"

namespace gps {

const Catalog& future_catalog() {
  static const Catalog catalog = {
      {"permutation", "GPS, Permutation",
       "Each pseudo-task permutes the pixels of the current task in a new way."},
      {"rotation", "GPS, Rotation",
       "The k-th pseudo-task rotates the current task by 15·k degrees."},
      {"blurring", "GPS, Blurring",
       "The k-th pseudo-task blurs the current task with a 5 x 5 Gaussian, σ = 0.5·k."},
      {"offline", "ER-Oracle",
       "The real future, trained at full size for every candidate. A reference, not a method. Slow "
       "(minutes for each run)."},
  };
  return catalog;
}

std::unique_ptr<Future> make_future(const std::string& name, const Benchmark* benchmark) {
  find(future_catalog(), "future", name);
  if (name == "permutation") return make_permutation();
  if (name == "rotation") return make_rotation();
  if (name == "blurring") return make_blurring();
  if (benchmark == nullptr)
    throw UsageError("the future 'offline' needs the real later tasks, which are not known here");
  return make_offline(*benchmark);
}

Dataset random_subset(const Dataset& data, std::size_t examples, Rng rng) {
  if (examples == 0 || examples >= data.size()) return data;
  std::vector<std::uint32_t> rows;
  rng.distinct(examples, data.size(), rows);
  return data.subset(rows);
}

}  // namespace gps
