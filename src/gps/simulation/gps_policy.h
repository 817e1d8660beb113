// Global Pseudo-task Simulation (Algorithm 3 of the paper): after each task, simulates the future
// under several plans, and builds the memory with the plan under which the task is forgotten least
// (Eqn. 9).
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "gps/core/option_table.h"
#include "gps/core/work/executor.h"
#include "gps/core/work/team.h"
#include "gps/policies/parts/rebuilding.h"
#include "gps/simulation/future.h"
#include "gps/simulation/switching_point.h"

namespace gps {

// How gps chooses the ring part of a task.
enum class RingSearch {
  switching_point,  // Algorithm 2 of the paper: a search of its own after each task
  steady,           // by the evidence of all tasks so far (steady_choice.h)
};

struct SimulationOptions {
  int tasks = 10;  // T: number of tasks; 0: unknown
  int window = 0;  // largest number of pseudo-tasks; 0: all if T is at most 10, else 10 (A27)
  std::size_t examples = 1000;  // of each pseudo-task; 0: all. The paper uses |M|
  TrainOptions training{1, 10};
  RingSearch search = RingSearch::switching_point;
  Objective objective = Objective::accuracy;
  StrideOptions stride;
  double reuse =
      0.25;  // a point within this many strides of a scored one is not scored; 0: Algorithm 2
  Score score = Score::natural;
  std::size_t score_examples = 2000;  // held back for scoring, at most
  InTask in_task = InTask::strict;
  BaseOptions base;  // of real tasks; pseudo-tasks store random examples (section 5.3)
};

// All options of the policy gps that mixed does not have. Zeros stand for values that depend on the
// rest of the run (simulation_options()).
struct GpsOptions {
  std::string future = "permutation";
  RingSearch search = RingSearch::switching_point;
  int epochs = 0;
  int examples = 0;
  int window = 0;
  bool knows_length = true;  // whether it is told T
  Objective objective = Objective::accuracy;
  Score score = Score::natural;
  int score_examples = 2000;
  int stride = 0;
  int smallest_stride = 0;
  int largest_stride = 0;
  float reuse = 0.25f;
};
const OptionTable<GpsOptions>& gps_options();

// Lets a caller watch, stop or divide a search. All hooks are optional.
struct SimulationHooks {
  const StopFlag* stop = nullptr;
  // Called once for each simulated candidate, on any thread.
  std::function<void(const Plan&, const Outcome&)> candidate_done = nullptr;
  // The processes that do the same run and divide the candidates of each search among themselves.
  Team* team = nullptr;
};

// What gps must know about the run besides its own options.
struct SimulationNeeds {
  int tasks = 0;          // T; 0: unknown
  int pseudo_epochs = 1;  // passes over a pseudo-task, unless an option sets them (Appendix F)
  int memory = 1000;      // |M|; 0: not known yet
  TrainOptions training = {};
  const Benchmark* benchmark = nullptr;  // the real future, for `offline`
  Executor* executor = nullptr;          // make_policy() throws UsageError without it
  SimulationHooks hooks = {};
};

// Returns the options of the simulation, with all values filled in that depend on other options:
// needs.pseudo_epochs epochs over |M| examples; for the future `offline`, epochs and examples as in
// the real run, and all tasks.
SimulationOptions simulation_options(const Settings& settings, const SimulationNeeds& needs);

// Returns how many pseudo-tasks are simulated after this task.
int simulated_tasks(int task, const SimulationOptions& options);

// How the search moves along the line of plans after this task: its stride, and the distance within
// which a plan stands for another (search_switching_point). REQUIRES: simulated_tasks() is not 0.
struct SearchSteps {
  std::size_t stride = 1;
  std::size_t nearby = 0;
};
SearchSteps search_steps(std::size_t capacity, int task, const SimulationOptions& options);

// The candidates of a search run in parallel on `executor`, and on those of the team, with the same
// result as in sequence. The executor, the stop flag and the team must outlive the policy. There is
// no search after task T (A26), because its memory is never used. If `base` is null, options.base
// names the two base policies.
std::unique_ptr<MemoryPolicy> make_gps(const SimulationOptions& options,
                                       std::unique_ptr<Future> future, Executor& executor,
                                       SimulationHooks hooks,
                                       std::unique_ptr<BasePair> base = nullptr);

}  // namespace gps
