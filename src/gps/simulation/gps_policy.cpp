#include "gps/simulation/gps_policy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "gps/simulation/scene.h"

namespace gps {
namespace {

constexpr int kPaperWindow = 10;

class GpsPolicy final : public RebuildingPolicy {
 public:
  GpsPolicy(const SimulationOptions& options, std::unique_ptr<Future> future, Executor& executor,
            SimulationHooks hooks, std::unique_ptr<BasePair> base)
      : RebuildingPolicy(options.in_task, base ? std::move(base) : make_base_pair(options.base)),
        options_(options),
        future_(std::move(future)),
        executor_(executor),
        hooks_(std::move(hooks)) {}

 protected:
  Decision choose(const TaskEnd& end) override {
    const int count = simulated_tasks(end.task.number, options_);
    if (count == 0) return {end.task.number, end.quota / 2, end.quota, {}};

    const Scene scene(end.task, end.orders, *future_,
                      {count, options_.examples, options_.score, options_.score_examples}, end.rng);
    const Situation situation =
        scene.situation(end.learner, end.memory, options_.training, options_.in_task, hooks_.stop);
    // Every candidate is simulated once. Workers that would idle meanwhile look ahead.
    std::map<std::size_t, Outcome> outcomes;
    std::vector<std::size_t> foreseen;
    const ForeseePoints foresee = [&](std::span<const std::size_t> points) {
      foreseen.assign(points.begin(), points.end());
    };
    const ScorePoints score = [&](std::span<const std::size_t> points) {
      std::vector<std::size_t> work;
      const auto add = [&](std::size_t point) {
        if (outcomes.contains(point)) return;
        const std::optional<Outcome> known = hooks_.recall ? hooks_.recall(point) : std::nullopt;
        outcomes[point] = known.value_or(Outcome{});
        if (!known) work.push_back(point);
      };
      std::for_each(points.begin(), points.end(), add);
      const std::vector<std::uint64_t> workers = workers_of_all();
      const std::uint64_t together = std::reduce(workers.begin(), workers.end());
      for (const std::size_t point : foreseen) {
        if (work.size() % together == 0) break;
        add(point);
      }
      simulate(work, workers, situation, outcomes);
      std::vector<Outcome> result;
      for (const std::size_t point : points) result.push_back(outcomes.at(point));
      return result;
    };
    const int horizon = options_.tasks > 0 ? options_.tasks : end.task.number + count;
    const std::size_t stride =
        stride_for(end.memory.capacity(), end.task.number, horizon, options_.stride);
    // Rounded up, since the points of the search are rounded; but never so that two of a round
    // could stand for each other.
    const auto nearby =
        std::min(static_cast<std::size_t>(std::ceil(options_.reuse * static_cast<double>(stride))),
                 (stride - 1) / 2);
    SearchResult found =
        search_switching_point(end.quota, stride, options_.objective, score, foresee, nearby);
    return {end.task.number, found.ring_size, end.quota, std::move(found.probes)};
  }

 private:
  // Those of each member of the team that have nothing else to do.
  std::vector<std::uint64_t> workers_of_all() {
    const std::uint64_t mine = 1 + executor_.idle();
    if (hooks_.team == nullptr) return {mine};
    std::vector<std::uint64_t> all;
    for (const Team::Words& words : hooks_.team->gather({mine})) all.push_back(words.at(0));
    return all;
  }

  // Each member of the team simulates the points that are assigned to it, and learns of the others.
  void simulate(const std::vector<std::size_t>& points, const std::vector<std::uint64_t>& workers,
                const Situation& situation, std::map<std::size_t, Outcome>& outcomes) {
    const std::vector<std::size_t> owners = assign(points.size(), workers);
    const std::size_t self = hooks_.team != nullptr ? hooks_.team->rank() : 0;
    const auto tell = [&](std::size_t point) {
      if (hooks_.candidate_done) hooks_.candidate_done(point, outcomes.at(point));
    };
    std::vector<std::size_t> own;
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (owners[k] == self) own.push_back(points[k]);
    }
    executor_.for_each(own.size(), [&](std::size_t k) {
      outcomes.at(own[k]) = global_sim({own[k]}, situation);
      tell(own[k]);
    });
    if (hooks_.team == nullptr) return;

    Team::Words words;
    for (const std::size_t point : own) {
      words.push_back(std::bit_cast<std::uint64_t>(outcomes.at(point).loss));
      words.push_back(std::bit_cast<std::uint64_t>(outcomes.at(point).accuracy));
    }
    const std::vector<Team::Words> all = hooks_.team->gather(words);
    std::vector<std::size_t> next(all.size(), 0);
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Team::Words& from = all[owners[k]];
      std::size_t& at = next[owners[k]];
      outcomes.at(points[k]) = {std::bit_cast<double>(from.at(at)),
                                std::bit_cast<double>(from.at(at + 1))};
      at += 2;
      if (owners[k] != self) tell(points[k]);
    }
  }

  SimulationOptions options_;
  std::unique_ptr<Future> future_;
  Executor& executor_;
  SimulationHooks hooks_;
};

}  // namespace

int simulated_tasks(int task, const SimulationOptions& options) {
  const int window = options.window > 0 ? options.window : kPaperWindow;
  if (options.tasks == 0) return window;
  if (options.window == 0 && options.tasks <= kPaperWindow)
    return std::max(0, options.tasks - task);
  return std::clamp(options.tasks - task, 0, window);
}

std::unique_ptr<MemoryPolicy> make_gps(const SimulationOptions& options,
                                       std::unique_ptr<Future> future, Executor& executor,
                                       SimulationHooks hooks, std::unique_ptr<BasePair> base) {
  return std::make_unique<GpsPolicy>(options, std::move(future), executor, std::move(hooks),
                                     std::move(base));
}

}  // namespace gps
