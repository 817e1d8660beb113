#include "gps/simulation/switching_point.h"

#include <algorithm>
#include <cassert>

namespace gps {
namespace {

bool is_better(const Probe& a, const Probe& b, Objective objective) {
  return objective == Objective::accuracy ? a.accuracy > b.accuracy : a.loss < b.loss;
}

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

// The probes so far; asks for the points that none of them stands for, all at once.
class Probes {
 public:
  Probes(const ScorePoints& score, std::size_t nearby) : score_(score), nearby_(nearby) {}

  bool has(std::size_t point) const { return find(point) != all_.end(); }

  void ask(std::initializer_list<std::size_t> points) {
    std::vector<std::size_t> missing;
    for (const std::size_t point : points) {
      if (find(point) == all_.end() &&
          std::find(missing.begin(), missing.end(), point) == missing.end()) {
        missing.push_back(point);
      }
    }
    if (missing.empty()) return;
    const std::vector<Outcome> outcomes = score_(missing);
    assert(outcomes.size() == missing.size());
    for (std::size_t k = 0; k < missing.size(); ++k) {
      all_.push_back({missing[k], outcomes[k].loss, outcomes[k].accuracy});
    }
  }

  const Probe& at(std::size_t point) const { return *find(point); }

  const Probe& best(Objective objective, std::size_t last_middle) const {
    const Objective other =
        objective == Objective::accuracy ? Objective::loss : Objective::accuracy;
    return *std::min_element(all_.begin(), all_.end(), [&](const Probe& a, const Probe& b) {
      for (const Objective by : {objective, other}) {
        if (is_better(a, b, by)) return true;
        if (is_better(b, a, by)) return false;
      }
      return distance(a.ring_size, last_middle) < distance(b.ring_size, last_middle);
    });
  }

  std::vector<Probe> take() { return std::move(all_); }

 private:
  // The nearest probe that stands for this point.
  std::vector<Probe>::const_iterator find(std::size_t point) const {
    const auto nearest =
        std::min_element(all_.begin(), all_.end(), [point](const Probe& a, const Probe& b) {
          return distance(a.ring_size, point) < distance(b.ring_size, point);
        });
    const bool is_near = nearest != all_.end() && distance(nearest->ring_size, point) <= nearby_;
    return is_near ? nearest : all_.end();
  }

  const ScorePoints& score_;
  std::size_t nearby_;
  std::vector<Probe> all_;
};

// What one round of the search compares.
struct Round {
  std::size_t left;
  std::size_t middle;
  std::size_t right;
};

Round round_of(std::size_t start, std::size_t end, std::size_t upper, std::size_t stride) {
  const std::size_t middle = (start + end) / 2;
  return {middle - std::min(middle, stride), middle, std::min(upper, middle + stride)};
}

// The points of the two rounds of which one may come after that of [start, end], new ones only.
std::vector<std::size_t> points_after(std::size_t start, std::size_t end, std::size_t upper,
                                      std::size_t stride, const Probes& probes) {
  const Round now = round_of(start, end, upper, stride);
  std::vector<std::size_t> points;
  const auto add = [&](std::size_t point) {
    const bool is_asked = point == now.left || point == now.middle || point == now.right;
    if (is_asked || probes.has(point)) return;
    if (std::find(points.begin(), points.end(), point) == points.end()) points.push_back(point);
  };
  std::vector<Round> next;
  if (now.middle - start >= stride) next.push_back(round_of(start, now.middle, upper, stride));
  if (end - now.middle >= stride) next.push_back(round_of(now.middle, end, upper, stride));
  for (const auto member : {&Round::middle, &Round::left, &Round::right}) {
    for (const Round& round : next) add(round.*member);
  }
  return points;
}

}  // namespace

SearchResult search_switching_point(std::size_t upper, std::size_t stride, Objective objective,
                                    const ScorePoints& score, const ForeseePoints& foresee,
                                    std::size_t nearby) {
  assert(stride >= 1);
  assert(2 * nearby < stride || nearby == 0);
  Probes probes(score, nearby);
  std::size_t start = 0;
  std::size_t end = upper;
  std::size_t middle = upper / 2;
  if (upper < stride) probes.ask({0, middle, upper});
  while (end - start >= stride) {
    const Round round = round_of(start, end, upper, stride);
    middle = round.middle;
    if (foresee) foresee(points_after(start, end, upper, stride, probes));
    probes.ask({middle, round.left, round.right});
    const Probe& here = probes.at(middle);
    const bool left_is_better = is_better(probes.at(round.left), here, objective);
    const bool right_is_better = is_better(probes.at(round.right), here, objective);
    if (!left_is_better && !right_is_better) break;
    const bool go_left =
        left_is_better &&
        !(right_is_better && is_better(probes.at(round.right), probes.at(round.left), objective));
    std::size_t& bound = go_left ? end : start;
    if (bound == middle) break;  // an interval of one cannot be halved
    bound = middle;
  }
  SearchResult result;
  result.ring_size = probes.best(objective, middle).ring_size;
  result.probes = probes.take();
  return result;
}

std::size_t stride_for(std::size_t capacity, int task, int tasks, const StrideOptions& options) {
  const auto i = static_cast<std::size_t>(task);
  const auto t = static_cast<std::size_t>(tasks);
  const std::size_t rounded = (2 * capacity + 5 * t) / (10 * t);  // |M|/(5T) to the nearest
  // A stride given by hand is taken as it is; the paper's bounds are for the computed one.
  const bool is_given = options.stride > 0;
  std::size_t smallest = is_given ? 1 : std::max<std::size_t>(1, rounded);
  std::size_t largest = is_given ? options.stride : std::max(smallest, capacity / 10);
  if (options.smallest > 0) smallest = options.smallest;
  if (options.largest > 0) largest = options.largest;
  smallest = options.smallest > 0 ? smallest : std::min(smallest, largest);
  largest = std::max(smallest, largest);
  const std::size_t stride = is_given ? options.stride : capacity / (5 * i);
  return std::clamp(stride, smallest, largest);
}

}  // namespace gps
