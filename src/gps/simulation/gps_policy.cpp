#include "gps/simulation/gps_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "gps/benchmarks/benchmark.h"
#include "gps/policies/mixed.h"
#include "gps/simulation/scene.h"
#include "gps/simulation/search_bound.h"
#include "gps/simulation/steady_choice.h"

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

  void begin_task(Memory& memory, const Task& task, const Rng& rng) override {
    RebuildingPolicy::begin_task(memory, task, rng);
    tried_.clear();
  }
  void persist_search(Archive& archive) override {
    const std::lock_guard lock(mutex_);
    archive(tried_);
  }
  std::size_t tried() const override {
    const std::lock_guard lock(mutex_);
    return tried_.size();
  }

 protected:
  Decision choose_with(const Learner& learner, const TaskEnd& end) override {
    const bool is_open = !stores_all(end.quota, end.orders.reservoir.size(), options_);
    const int count = is_open ? simulated_tasks(end.task.number, options_) : 0;
    const PlanLine line = plans_up_to(end.quota);
    const bool is_steady = options_.search == RingSearch::steady;
    if (count == 0 && is_steady)
      return {end.task.number, line.at_share(steady_share(decisions())), end.quota, {}};
    if (count == 0) return {end.task.number, line.at(line.last / 2), end.quota, {}};

    const Scene scene(end.task, end.orders, *future_,
                      {count, options_.examples, options_.score, options_.score_examples}, end.rng);
    const Situation situation =
        scene.situation(learner, end.memory, options_.training, options_.in_task, hooks_.stop);
    if (is_steady) return choose_steadily(situation, end);
    // Every candidate is simulated once. Workers that would be idle simulate candidates that may be
    // asked for next.
    std::vector<Plan> foreseen;
    const ForeseePlans foresee = [&](std::span<const Plan> plans) {
      foreseen.assign(plans.begin(), plans.end());
    };
    const ScorePlans score = [&](std::span<const Plan> plans) {
      std::vector<Plan> work;
      const auto add = [&](const Plan& plan) {
        const bool is_added = std::find(work.begin(), work.end(), plan) != work.end();
        if (!is_added && !tried_.contains(plan)) work.push_back(plan);
      };
      std::for_each(plans.begin(), plans.end(), add);
      const std::vector<std::uint64_t> workers = workers_of_all();
      const std::uint64_t together = std::reduce(workers.begin(), workers.end());
      for (const Plan& plan : foreseen) {
        if (work.size() % together == 0) break;
        add(plan);
      }
      simulate(work, workers, situation, end.quota);
      std::vector<Outcome> result;
      for (const Plan& plan : plans) result.push_back(tried_.at(plan));
      return result;
    };
    const SearchSteps steps = search_steps(end.memory.capacity(), end.task.number, options_);
    SearchResult found = search_switching_point(line, steps.stride, options_.objective, score,
                                                foresee, steps.nearby);
    return {end.task.number, found.plan, end.quota, std::move(found.trials)};
  }

 private:
  // Simulates the same three shares after each task, in pseudo-tasks as well, and goes by what they
  // did in all tasks so far.
  Decision choose_steadily(const Situation& situation, const TaskEnd& end) {
    const std::vector<Plan> plans = steady_plans(end.quota);
    std::vector<Plan> open;
    for (const Plan& plan : plans) {
      const bool is_added = std::find(open.begin(), open.end(), plan) != open.end();
      if (!is_added && !tried_.contains(plan)) open.push_back(plan);
    }
    simulate(open, workers_of_all(), situation, end.quota);
    Decision decision{end.task.number, {}, end.quota, {}};
    for (const Plan& plan : plans) decision.trials.push_back({plan, tried_.at(plan)});
    std::vector<Decision> evidence = decisions();
    evidence.push_back(decision);
    decision.plan = plans_up_to(end.quota).at_share(steady_share(evidence));
    return decision;
  }

  // Returns the number of free workers of each member of the team.
  std::vector<std::uint64_t> workers_of_all() {
    const std::uint64_t mine = 1 + executor_.idle();
    if (hooks_.team == nullptr) return {mine};
    std::vector<std::uint64_t> all;
    for (const Team::Words& words : hooks_.team->gather({mine})) all.push_back(words.at(0));
    return all;
  }

  // Each member of the team simulates the plans assigned to it, and receives the outcomes of the
  // others.
  void simulate(const std::vector<Plan>& plans, const std::vector<std::uint64_t>& workers,
                const Situation& situation, std::size_t quota) {
    const std::vector<std::size_t> owners = assign(plans.size(), workers);
    const std::size_t self = hooks_.team != nullptr ? hooks_.team->rank() : 0;
    std::vector<Plan> own;
    for (std::size_t k = 0; k < plans.size(); ++k) {
      if (owners[k] == self) own.push_back(plans[k]);
    }
    executor_.for_each(own.size(), [&](std::size_t k) {
      Situation own_situation = situation;
      if (options_.search == RingSearch::steady && quota > 0)
        own_situation.future_share = plans_up_to(quota).share_of(own[k]);
      note(own[k], global_sim(own[k], own_situation));
    });
    if (hooks_.team == nullptr) return;

    Team::Words words;
    for (const Plan& plan : own) {
      words.push_back(std::bit_cast<std::uint64_t>(tried_.at(plan).loss));
      words.push_back(std::bit_cast<std::uint64_t>(tried_.at(plan).accuracy));
    }
    const std::vector<Team::Words> all = hooks_.team->gather(words);
    std::vector<std::size_t> next(all.size(), 0);
    for (std::size_t k = 0; k < plans.size(); ++k) {
      const Team::Words& from = all[owners[k]];
      std::size_t& at = next[owners[k]];
      const Outcome outcome{std::bit_cast<double>(from.at(at)),
                            std::bit_cast<double>(from.at(at + 1))};
      at += 2;
      if (owners[k] != self) note(plans[k], outcome);
    }
  }

  // Called on any thread. The hook may call tried() or persist_search(), so it runs without the
  // lock.
  void note(const Plan& plan, const Outcome& outcome) {
    {
      const std::lock_guard lock(mutex_);
      tried_[plan] = outcome;
    }
    if (hooks_.candidate_done) hooks_.candidate_done(plan, outcome);
  }

  SimulationOptions options_;
  std::unique_ptr<Future> future_;
  Executor& executor_;
  SimulationHooks hooks_;
  mutable std::mutex mutex_;       // guards tried_ while candidates are simulated
  std::map<Plan, Outcome> tried_;  // outcomes of the search at the end of this task
};

const SimulationNeeds& needs_of(const PolicyContext& context) {
  if (context.simulation == nullptr)
    throw UsageError("policy 'gps' needs PolicyContext::simulation, which is null");
  return *context.simulation;
}

}  // namespace

int simulated_tasks(int task, const SimulationOptions& options) {
  const int window = options.window > 0 ? options.window : kPaperWindow;
  if (options.tasks == 0) return window;
  if (options.window == 0 && options.tasks <= kPaperWindow)
    return std::max(0, options.tasks - task);
  return std::clamp(options.tasks - task, 0, window);
}

SearchSteps search_steps(std::size_t capacity, int task, const SimulationOptions& options) {
  const int horizon = options.tasks > 0 ? options.tasks : task + simulated_tasks(task, options);
  const std::size_t stride = stride_for(capacity, task, horizon, options.stride);
  // Rounded up, since the points of the search are rounded. Limited so that no two points of a
  // round can stand for each other.
  const auto nearby =
      std::min(static_cast<std::size_t>(std::ceil(options.reuse * static_cast<double>(stride))),
               (stride - 1) / 2);
  return {stride, nearby};
}

std::unique_ptr<MemoryPolicy> make_gps(const SimulationOptions& options,
                                       std::unique_ptr<Future> future, Executor& executor,
                                       SimulationHooks hooks, std::unique_ptr<BasePair> base) {
  return std::make_unique<GpsPolicy>(options, std::move(future), executor, std::move(hooks),
                                     std::move(base));
}

const OptionTable<GpsOptions>& gps_options() {
  static const OptionTable<GpsOptions> table = {
      one_of("future", &GpsOptions::future, names(future_catalog()),
             "how gps imagines later tasks"),
      choice("search", &GpsOptions::search,
             {{"switching-point", RingSearch::switching_point}, {"steady", RingSearch::steady}},
             "choose the ring part by a search after each task, as the paper does, or by the "
             "evidence of all tasks so far")
          .silent(),
      choice("objective", &GpsOptions::objective,
             {{"accuracy", Objective::accuracy}, {"loss", Objective::loss}},
             "measure that the search compares"),
      choice("score", &GpsOptions::score,
             {{"natural", Score::natural}, {"balanced", Score::balanced}},
             "average it over examples, or over classes"),
      option("score_examples", &GpsOptions::score_examples,
             "training examples held back for scoring, at most half of them")
          .at_least(1),
      option("window", &GpsOptions::window, "largest number of pseudo-tasks ahead")
          .between(0, 1000)
          .usually("0: all if T is at most 10, else 10"),
      option("knows_length", &GpsOptions::knows_length,
             "do not tell gps the number of tasks; it then always uses a whole window")
          .flag("unknown-length"),
      option("simulation_epochs", &GpsOptions::epochs, "passes over each pseudo-task")
          .flag("sim-epochs")
          .between(0, 1'000'000)
          .usually("1; s-cifar-... and tiny-imagenet: 5; offline: `epochs`"),
      option("simulation_examples", &GpsOptions::examples, "examples of each pseudo-task")
          .flag("sim-examples")
          .at_least(0)
          .usually("|M|; offline: all"),
      option("stride", &GpsOptions::stride,
             "step of the search; 0: |M|/(5i), limited by `min-stride` and `max-stride`")
          .at_least(0),
      option("smallest_stride", &GpsOptions::smallest_stride, "smallest stride")
          .flag("min-stride")
          .at_least(0)
          .usually("0: |M|/(5T)"),
      option("largest_stride", &GpsOptions::largest_stride, "largest stride")
          .flag("max-stride")
          .at_least(0)
          .usually("0: |M|/10"),
      option("reuse", &GpsOptions::reuse,
             "do not simulate a size within X strides of a simulated one; 0: exactly the paper's "
             "search")
          .at_least(0)
          .below(0.5),
  };
  return table;
}

SimulationOptions simulation_options(const Settings& settings, const SimulationNeeds& needs) {
  const GpsOptions gps = gps_options().read(settings);
  const RebuildingOptions rebuilding = read_rebuilding(settings);
  const bool is_oracle = gps.future == "offline";
  SimulationOptions options;
  options.tasks = gps.knows_length || is_oracle ? needs.tasks : 0;
  options.window = gps.window == 0 && is_oracle ? needs.tasks : gps.window;
  options.examples = static_cast<std::size_t>(gps.examples > 0 ? gps.examples
                                              : is_oracle      ? 0
                                                               : needs.memory);
  options.training.epochs = gps.epochs > 0 ? gps.epochs
                            : is_oracle    ? needs.training.epochs
                                           : needs.pseudo_epochs;
  options.training.batch = needs.training.batch;
  options.training.steps = is_oracle && gps.epochs == 0 ? needs.training.steps : 0;
  options.search = gps.search;
  options.objective = gps.objective;
  options.stride = {static_cast<std::size_t>(gps.stride),
                    static_cast<std::size_t>(gps.smallest_stride),
                    static_cast<std::size_t>(gps.largest_stride)};
  options.score = gps.score;
  options.score_examples = static_cast<std::size_t>(gps.score_examples);
  options.in_task = rebuilding.in_task;
  options.reuse = static_cast<double>(gps.reuse);
  options.base = rebuilding.base;
  return options;
}

PolicyEntry gps_policy() {
  PolicyEntry entry = {
      {"gps", "GPS, ER-Oracle",
       "Like mixed, but finds the ring part of each task by simulating its future with several "
       "sizes.",
       gps_options().rows() + rebuilding_options()},
      [](const Settings& settings, const PolicyContext& context) {
        const SimulationNeeds& needs = needs_of(context);
        if (needs.executor == nullptr)
          throw UsageError("policy 'gps' needs SimulationNeeds::executor, which is null");
        return make_gps(simulation_options(settings, needs),
                        make_future(gps_options().read(settings).future, needs.benchmark),
                        *needs.executor, needs.hooks);
      },
      /*variants=*/{"future", "search", "score", "base"},
      /*always_shows=*/true,
      /*has_lasting_state=*/false,
      [](Settings& settings, const PolicyContext& context) {
        const SimulationOptions options = simulation_options(settings, needs_of(context));
        settings["simulation_epochs"] = options.training.epochs;
        settings["simulation_examples"] = static_cast<int>(options.examples);
      },
      [](const Settings& settings) {
        const GpsOptions gps = gps_options().read(settings);
        const bool is_too_large = gps.largest_stride > 0 && gps.stride > gps.largest_stride;
        if (gps.stride > 0 && (gps.stride < gps.smallest_stride || is_too_large))
          throw OptionError(
              "stride",
              fmt::format("({}) is not between `min-stride` and `max-stride`", gps.stride));
        if (gps.largest_stride > 0 && gps.smallest_stride > gps.largest_stride)
          throw OptionError("min-stride", fmt::format("({}) must not be above `max-stride` ({})",
                                                      gps.smallest_stride, gps.largest_stride));
      }};
  entry.simulates = true;
  entry.why_not_lasting = [](const Settings& settings) -> std::string {
    if (gps_options().read(settings).future != "offline") return "";
    return "needs the real later tasks; use gps:permutation";
  };
  return entry;
}

}  // namespace gps
