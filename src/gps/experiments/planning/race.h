// A race: several recipes are rehearsed on one imagined stream, as far as they can still win. After
// a quarter and after half of the tasks, those far behind the best are stopped; the others go on
// from where they are.
//
// How far behind is too far: recipes that learn slowly are behind at first and ahead in the end, so
// the distance is large at first (20 points after a quarter of the tasks, 8 after half).
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "gps/core/work/executor.h"
#include "gps/experiments/planning/rehearsal.h"

namespace gps {

// The result of a recipe in a race.
struct Finish {
  double accuracy = 0;  // after the last task that it went through; 0: the network died
  int tasks = 0;        // that it went through
  bool is_complete = false;
  double work = 0;  // that it took, as work_of() counts it

  void persist(Archive& archive) { archive(accuracy, tasks, is_complete, work); }
};

class Race {
 public:
  using Done = std::function<void(const Recipe&, const Finish&)>;

  // Recipes are rehearsed in parallel on the executor, with the same result as in sequence. `done`
  // is called for each of them, in their order. REQUIRES: what is referred to outlives the race.
  Race(const Stage& stage, Executor& executor, Done done = {});

  // Lets these recipes run, against each other and against all that have run before. Result k
  // belongs to recipe k.
  std::vector<Finish> run(std::span<const Recipe> recipes);

 private:
  const Stage& stage_;
  Executor& executor_;
  Done done_;
  std::map<int, double> best_at_;  // the best accuracy after this many tasks
};

}  // namespace gps
