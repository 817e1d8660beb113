// iCaRL's memory. While a task is learnt, only examples of earlier tasks are replayed. When it
// ends, all (task, class) pairs seen so far share the slots. Old pairs keep the start of their
// herding order; new pairs are herded on the network's features. All slots are used (A8), while
// Mammoth rounds down and wastes the remainder.
#include "gps/policies/herding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "gps/memory/quota.h"
#include "gps/policies/watching.h"

namespace gps {
namespace {

float dot(std::span<const float> a, std::span<const float> b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0f);
}

std::vector<float> features_of(Learner& learner, const Dataset& data,
                               std::span<const std::uint32_t> rows) {
  constexpr std::size_t kChunk = 256;
  const std::size_t size = learner.feature_size();
  const std::size_t bytes = data.shape().bytes();
  std::vector<float> features(rows.size() * size);
  std::vector<std::uint8_t> scratch(kChunk * bytes);
  std::vector<const std::uint8_t*> images;
  for (std::size_t first = 0; first < rows.size(); first += kChunk) {
    images.resize(std::min(kChunk, rows.size() - first));
    for (std::size_t k = 0; k < images.size(); ++k) {
      images[k] = data.image(rows[first + k], {scratch.data() + k * bytes, bytes});
    }
    learner.features(images, std::span(features).subspan(first * size, images.size() * size));
  }
  return features;
}

// A (task, class) pair. It can fill `available` slots, and `rank` classes of its task come before
// it.
struct Pair {
  std::size_t rank = 0;
  int task = 0;
  Label label = 0;
  std::size_t available = 0;
};

std::vector<Pair> pairs_in(const Memory& memory) {
  std::vector<Pair> pairs;
  std::map<int, std::size_t> classes;  // number of classes found of each task
  for (const Example& example : memory.examples()) {
    const auto at = std::find_if(pairs.begin(), pairs.end(), [&](const Pair& pair) {
      return pair.task == example.task && pair.label == example.label;
    });
    if (at != pairs.end()) {
      ++at->available;
    } else {
      pairs.push_back({classes[example.task]++, example.task, example.label, 1});
    }
  }
  return pairs;
}

using Shares = std::map<std::pair<int, Label>, std::size_t>;

// Returns equal shares. Spare slots go to one class of every task before a second class of any.
Shares share(std::size_t capacity, std::vector<Pair> pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return std::pair(a.rank, a.task) < std::pair(b.rank, b.task);
  });
  std::vector<std::size_t> available;
  for (const Pair& pair : pairs) available.push_back(pair.available);
  const auto sizes = deal(capacity, available);
  Shares shares;
  for (std::size_t k = 0; k < pairs.size(); ++k) shares[{pairs[k].task, pairs[k].label}] = sizes[k];
  return shares;
}

class Herding final : public WatchingPolicy {
 public:
  void watch_end(Memory& memory, const Task& task, const Learner& learner,
                 const Rng& rng) override {
    const auto rows_by_class = task.train.rows_by_class();
    std::vector<Label> classes;
    for (std::size_t c = 0; c < rows_by_class.size(); ++c) {
      if (!rows_by_class[c].empty()) classes.push_back(static_cast<Label>(c));
    }
    rng.fork("class order").shuffle(std::span(classes));

    std::vector<Pair> pairs = pairs_in(memory);
    for (std::size_t k = 0; k < classes.size(); ++k) {
      pairs.push_back({k, task.number, classes[k], rows_by_class[classes[k]].size()});
    }
    Shares left = share(memory.capacity(), std::move(pairs));
    memory.retain([&](const Example& example) {
      std::size_t& more = left[{example.task, example.label}];
      if (more == 0) return false;
      --more;
      return true;
    });

    const std::unique_ptr<Learner> copy = learner.clone();  // computing features is not const
    for (const Label label : classes) {
      const auto& rows = rows_by_class[label];
      add_herded(memory, task, rows, left[{task.number, label}], *copy);
    }
  }

 private:
  static void add_herded(Memory& memory, const Task& task, std::span<const std::uint32_t> rows,
                         std::size_t count, Learner& learner) {
    if (count == 0) return;
    Batch batch;
    for (const std::uint32_t k :
         herd(features_of(learner, task.train, rows), learner.feature_size(), count)) {
      batch.gather(task, {&rows[k], 1});
      memory.add(memory.make_example(batch, 0, Part::ring));
    }
  }
};

}  // namespace

std::vector<std::uint32_t> herd(std::vector<float> features, std::size_t size, std::size_t count) {
  const std::size_t rows = features.size() / size;
  const auto row = [&](std::size_t k) { return std::span(features).subspan(k * size, size); };
  std::vector<float> mean(size, 0);
  std::vector<float> squares(rows);
  for (std::size_t k = 0; k < rows; ++k) {
    const float length = std::sqrt(dot(row(k), row(k)));
    for (std::size_t d = 0; d < size; ++d) {
      if (length > 0) row(k)[d] /= length;
      mean[d] += row(k)[d] / static_cast<float>(rows);
    }
    squares[k] = dot(row(k), row(k));
  }
  std::vector<std::uint32_t> taken;
  std::vector<bool> is_taken(rows, false);
  std::vector<float> sum(size, 0);
  std::vector<float> wanted(size);
  while (taken.size() < std::min(count, rows)) {
    // (k + 1) times the distance is ‖wanted - f_x‖. Up to a constant, its square is
    //   ‖f_x‖² - 2 <wanted, f_x>.
    for (std::size_t d = 0; d < size; ++d) {
      wanted[d] = static_cast<float>(taken.size() + 1) * mean[d] - sum[d];
    }
    std::size_t best = rows;
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t k = 0; k < rows; ++k) {
      if (is_taken[k]) continue;
      const float distance = squares[k] - 2 * dot(wanted, row(k));
      if (best < rows && !(distance < least)) continue;
      best = k;
      least = distance;
    }
    is_taken[best] = true;
    taken.push_back(static_cast<std::uint32_t>(best));
    for (std::size_t d = 0; d < size; ++d) sum[d] += row(best)[d];
  }
  return taken;
}

std::unique_ptr<MemoryPolicy> make_herding() { return std::make_unique<Herding>(); }

PolicyEntry herding_policy() {
  return {{"herding", "iCaRL",
           "When a task ends, each class keeps the examples whose mean feature is nearest to the "
           "class mean (Rebuffi et al. 2017)."},
          [](const Settings&, const PolicyContext&) { return make_herding(); }};
}

}  // namespace gps
