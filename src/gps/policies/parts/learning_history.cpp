#include "gps/policies/parts/learning_history.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "gps/learners/learner.h"
#include "gps/nn/softmax.h"

namespace gps {
namespace {

constexpr int kNever = std::numeric_limits<int>::max();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Infinite instead of NaN, so that losses have an order.
double loss_of(std::span<const float> logits, std::size_t label) {
  const double loss = cross_entropy<double>(logits, label);
  return std::isnan(loss) ? kInfinite : loss;
}

std::size_t pool_size(double fraction, std::size_t examples) {
  const auto size = std::llround(fraction * static_cast<double>(examples));
  return std::max<std::size_t>(1, static_cast<std::size_t>(size));
}

}  // namespace

void LearningHistory::begin_task(std::size_t examples) {
  checks_ = 0;
  learned_.assign(examples, kNever);
  losses_.assign(examples, kInfinite);
}

void LearningHistory::check(const Dataset& train, const Learner& learner,
                            std::span<const Label> labels) {
  check_is_of(train);
  constexpr std::size_t kChunk = 256;
  // Computing logits or scores is not const, so work on a copy.
  const Network* const shown = learner.network();
  const std::unique_ptr<Network> network = shown != nullptr ? shown->clone() : nullptr;
  const std::unique_ptr<Learner> copy = network ? nullptr : learner.clone();
  const std::size_t classes = learner.classes();
  const std::size_t bytes = train.shape().bytes();
  std::vector<std::uint8_t> scratch(kChunk * bytes);
  std::vector<const std::uint8_t*> images;
  std::vector<float> logits(kChunk * classes);
  // Masked as in evaluate(): classes outside `labels` are never predicted.
  std::vector<float> masked(classes, -std::numeric_limits<float>::infinity());
  std::vector<bool> is_right(train.size());
  std::vector<double> losses(train.size());
  for (std::size_t first = 0; first < train.size(); first += kChunk) {
    images.resize(std::min(kChunk, train.size() - first));
    for (std::size_t k = 0; k < images.size(); ++k) {
      images[k] = train.image(first + k, {scratch.data() + k * bytes, bytes});
    }
    const auto out = std::span(logits).first(images.size() * classes);
    network ? network->logits(images, out) : copy->scores(images, out);
    for (std::size_t k = 0; k < images.size(); ++k) {
      const auto all = std::span<const float>(logits).subspan(k * classes, classes);
      for (const Label label : labels) masked[label] = all[label];
      const std::span<const float> row = labels.empty() ? all : std::span<const float>(masked);
      const auto predicted = std::max_element(row.begin(), row.end()) - row.begin();
      is_right[first + k] = predicted == static_cast<std::ptrdiff_t>(train.label(first + k));
      losses[first + k] = loss_of(row, train.label(first + k));
    }
  }
  record(is_right, losses);
}

void LearningHistory::check_is_of(const Dataset& train) const {
  Archive::require(learned_.size() == train.size(),
                   "the easy examples of a task are those of another task");
}

void LearningHistory::record(const std::vector<bool>& is_right, std::span<const double> losses) {
  assert(is_right.size() == learned_.size() && losses.size() == learned_.size());
  ++checks_;
  for (std::size_t row = 0; row < learned_.size(); ++row) {
    learned_[row] = is_right[row] ? std::min(learned_[row], checks_) : kNever;
  }
  losses_.assign(losses.begin(), losses.end());
}

std::vector<std::uint32_t> LearningHistory::easiest_first() const {
  std::vector<std::uint32_t> ranking(learned_.size());
  std::iota(ranking.begin(), ranking.end(), 0u);
  std::sort(ranking.begin(), ranking.end(), [this](std::uint32_t a, std::uint32_t b) {
    if (rank_ == EasyRank::epoch) return std::tie(learned_[a], a) < std::tie(learned_[b], b);
    return std::tie(learned_[a], losses_[a], a) < std::tie(learned_[b], losses_[b], b);
  });
  return ranking;
}

std::vector<bool> LearningHistory::easy(double fraction) const {
  std::vector<bool> marks(learned_.size(), false);
  if (checks_ == 0 || marks.empty()) return marks;
  const auto ranking = easiest_first();
  const std::size_t size = std::min(pool_size(fraction, marks.size()), marks.size());
  for (std::size_t k = 0; k < size; ++k) marks[ranking[k]] = true;
  return marks;
}

std::vector<bool> LearningHistory::easy_in_class(const Dataset& train, double fraction) const {
  if (!learned_.empty()) check_is_of(train);
  std::vector<bool> marks(learned_.size(), false);
  if (checks_ == 0) return marks;
  const auto by_class = train.rows_by_class();
  const auto present = std::count_if(by_class.begin(), by_class.end(),
                                     [](const auto& rows) { return !rows.empty(); });
  const std::size_t size = pool_size(fraction / static_cast<double>(present), marks.size());
  std::vector<std::size_t> left(by_class.size(), size);
  for (const std::uint32_t row : easiest_first()) {
    std::size_t& more = left[train.label(row)];
    if (more == 0) continue;
    marks[row] = true;
    --more;
  }
  return marks;
}

}  // namespace gps
