#include "gps/simulation/switching_point.h"

#include <algorithm>
#include <cassert>

namespace gps {
namespace {

bool is_better(const Outcome& a, const Outcome& b, Objective objective) {
  return objective == Objective::accuracy ? a.accuracy > b.accuracy : a.loss < b.loss;
}

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

// A position on the line that was tried.
struct Tried {
  std::size_t point;
  Outcome outcome;
};

// The points tried so far. ask() scores all points at once that no tried point stands for.
class Search {
 public:
  Search(const PlanLine& line, const ScorePlans& score, std::size_t nearby)
      : line_(line), score_(score), nearby_(nearby) {}

  bool has(std::size_t point) const { return find(point) != all_.end(); }

  std::vector<Plan> plans_at(const std::vector<std::size_t>& points) const {
    std::vector<Plan> plans;
    for (const std::size_t point : points) plans.push_back(line_.at(point));
    return plans;
  }

  void ask(std::initializer_list<std::size_t> points) {
    std::vector<std::size_t> missing;
    for (const std::size_t point : points) {
      if (find(point) == all_.end() &&
          std::find(missing.begin(), missing.end(), point) == missing.end()) {
        missing.push_back(point);
      }
    }
    if (missing.empty()) return;
    const std::vector<Outcome> outcomes = score_(plans_at(missing));
    assert(outcomes.size() == missing.size());
    for (std::size_t k = 0; k < missing.size(); ++k) all_.push_back({missing[k], outcomes[k]});
  }

  const Outcome& at(std::size_t point) const { return find(point)->outcome; }

  // Returns the best plan and all trials.
  SearchResult end(Objective objective, std::size_t last_middle) const {
    SearchResult result{line_.at(best(objective, last_middle)), {}};
    for (const Tried& tried : all_) result.trials.push_back({line_.at(tried.point), tried.outcome});
    return result;
  }

 private:
  std::size_t best(Objective objective, std::size_t last_middle) const {
    const Objective other =
        objective == Objective::accuracy ? Objective::loss : Objective::accuracy;
    const auto found =
        std::min_element(all_.begin(), all_.end(), [&](const Tried& a, const Tried& b) {
          for (const Objective by : {objective, other}) {
            if (is_better(a.outcome, b.outcome, by)) return true;
            if (is_better(b.outcome, a.outcome, by)) return false;
          }
          return distance(a.point, last_middle) < distance(b.point, last_middle);
        });
    return found->point;
  }

  // Returns the nearest tried point that can stand for this point, or the end.
  std::vector<Tried>::const_iterator find(std::size_t point) const {
    const auto nearest =
        std::min_element(all_.begin(), all_.end(), [point](const Tried& a, const Tried& b) {
          return distance(a.point, point) < distance(b.point, point);
        });
    const bool is_near = nearest != all_.end() && distance(nearest->point, point) <= nearby_;
    return is_near ? nearest : all_.end();
  }

  const PlanLine& line_;
  const ScorePlans& score_;
  std::size_t nearby_;
  std::vector<Tried> all_;
};

// The points that one round of the search compares.
struct Round {
  std::size_t left;
  std::size_t middle;
  std::size_t right;
};

Round round_of(std::size_t start, std::size_t end, std::size_t upper, std::size_t stride) {
  const std::size_t middle = (start + end) / 2;
  return {middle - std::min(middle, stride), middle, std::min(upper, middle + stride)};
}

// Returns the new points of the two rounds of which one may follow that of [start, end].
std::vector<std::size_t> points_after(std::size_t start, std::size_t end, std::size_t upper,
                                      std::size_t stride, const Search& search) {
  const Round now = round_of(start, end, upper, stride);
  std::vector<std::size_t> points;
  const auto add = [&](std::size_t point) {
    const bool is_asked = point == now.left || point == now.middle || point == now.right;
    if (is_asked || search.has(point)) return;
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

SearchResult search_switching_point(const PlanLine& line, std::size_t stride, Objective objective,
                                    const ScorePlans& score, const ForeseePlans& foresee,
                                    std::size_t nearby) {
  assert(stride >= 1);
  assert(2 * nearby < stride || nearby == 0);
  Search search(line, score, nearby);
  const std::size_t upper = line.last;
  std::size_t start = 0;
  std::size_t end = upper;
  std::size_t middle = upper / 2;
  if (upper < stride) search.ask({0, middle, upper});
  while (end - start >= stride) {
    const Round round = round_of(start, end, upper, stride);
    middle = round.middle;
    if (foresee) foresee(search.plans_at(points_after(start, end, upper, stride, search)));
    search.ask({middle, round.left, round.right});
    const Outcome& here = search.at(middle);
    const bool left_is_better = is_better(search.at(round.left), here, objective);
    const bool right_is_better = is_better(search.at(round.right), here, objective);
    if (!left_is_better && !right_is_better) break;
    const bool go_left =
        left_is_better &&
        !(right_is_better && is_better(search.at(round.right), search.at(round.left), objective));
    std::size_t& bound = go_left ? end : start;
    if (bound == middle) break;  // an interval of one cannot be halved
    bound = middle;
  }
  return search.end(objective, middle);
}

std::size_t stride_for(std::size_t capacity, int task, int tasks, const StrideOptions& options) {
  const auto i = static_cast<std::size_t>(task);
  const auto t = static_cast<std::size_t>(tasks);
  const std::size_t rounded = (2 * capacity + 5 * t) / (10 * t);  // |M|/(5T) to the nearest
  // A stride given by the user is taken as it is; the paper's bounds are for the computed one.
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
