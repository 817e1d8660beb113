// Global Pseudo-task Simulation (Algorithm 3 of the paper): after each task, simulate the future
// under several plans, and build the memory with the one under which the task is forgotten least
// (Eqn. 9).
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "gps/core/option.h"
#include "gps/core/work/executor.h"
#include "gps/core/work/team.h"
#include "gps/policies/rebuilding.h"
#include "gps/simulation/future.h"
#include "gps/simulation/switching_point.h"

namespace gps {

struct SimulationOptions {
  int tasks = 10;  // T: how many tasks there will be; 0: nobody knows
  int window = 0;  // pseudo-tasks simulated at most; 0: all of T up to T = 10, and 10 beyond (A27)
  std::size_t examples = 1000;  // of each pseudo-task; the paper takes |M|. 0: all
  TrainOptions training{1, 10};
  Objective objective = Objective::accuracy;
  StrideOptions stride;
  double reuse =
      0.25;  // of a stride: how near a point must be to stand for another; 0: Algorithm 2
  Score score = Score::natural;
  std::size_t score_examples = 2000;  // held back for scoring, at most
  InTask in_task = InTask::strict;
  BaseOptions base;  // of real tasks; future ones store random examples (section 5.3)
};

// Every option of the policy gps but those that mixed has too. Zeros stand for what follows from
// the rest of the run (simulation_options()).
struct GpsOptions {
  std::string future = "permutation";
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

// What a caller may watch, interrupt or divide. All may be empty.
struct SimulationHooks {
  const StopFlag* stop = nullptr;
  // Called on any thread, once a candidate that was simulated.
  std::function<void(const Plan&, const Outcome&)> candidate_done = nullptr;
  // That does the same run, and divides the candidates of each search.
  Team* team = nullptr;
};

// What gps must know of the run besides its own options.
struct SimulationNeeds {
  int tasks = 0;          // T; 0: nobody knows
  int pseudo_epochs = 1;  // passes over a pseudo-task, where no option says (Appendix F)
  int memory = 1000;      // |M|
  TrainOptions training = {};
  const Benchmark* benchmark = nullptr;  // the real future, for `offline`
  Executor* executor = nullptr;
  SimulationHooks hooks = {};
};

// The options of the simulation with everything filled in that depends on other options: 1 epoch
// over |M| examples, or as in reality for the future `offline`, which also sees all tasks.
SimulationOptions simulation_options(const Settings& settings, const SimulationNeeds& needs);

// How many pseudo-tasks are simulated after task i.
int simulated_tasks(int task, const SimulationOptions& options);

// Candidates of a search run side by side on `executor`, and on those of the team, with the same
// result as one after the other. The executor, the stop flag and the team must outlive the policy.
// Nothing is searched after task T (A26): its memory is never used. The two base policies are
// `base`, or, where that is null, those that options.base names.
std::unique_ptr<MemoryPolicy> make_gps(const SimulationOptions& options,
                                       std::unique_ptr<Future> future, Executor& executor,
                                       SimulationHooks hooks,
                                       std::unique_ptr<BasePair> base = nullptr);

}  // namespace gps
