#include "gps/simulation/search_bound.h"

#include <algorithm>

#include "gps/simulation/steady_choice.h"

namespace gps {

bool stores_all(std::size_t quota, std::size_t examples, const SimulationOptions& options) {
  return options.tasks == 0 && quota >= examples;
}

std::size_t most_candidates(const SimulationOptions& options, const SearchSize& size) {
  const auto& [task, capacity, quota, examples, workers] = size;
  if (simulated_tasks(task, options) == 0 || stores_all(quota, examples, options)) return 0;
  if (options.search == RingSearch::steady) return steady_plans(quota).size();
  const std::size_t stride = search_steps(capacity, task, options).stride;
  // Each round asks for at most three plans. Idle workers fill up the last batch of a round.
  constexpr std::size_t kPlans = 3;
  const std::size_t batches = (kPlans + workers - 1) / workers;
  std::size_t rounds = 1;
  for (std::size_t length = quota; length / 2 + length % 2 >= stride && length > 1;
       length = length / 2 + length % 2)
    ++rounds;
  // There are no more plans than ring sizes, 0 included.
  return std::min(rounds * batches * workers, quota + 1);
}

std::size_t steps_of_candidate(const SimulationOptions& options, int task, std::size_t examples) {
  const std::size_t each = options.examples == 0 ? examples : std::min(options.examples, examples);
  return static_cast<std::size_t>(simulated_tasks(task, options)) *
         steps_for(each, options.training);
}

}  // namespace gps
