// How much work a search of gps may be, for people who wait for it.
#pragma once

#include <cstddef>

#include "gps/simulation/gps_policy.h"

namespace gps {

// Returns whether nothing is chosen, and so nothing is simulated, because all examples of the task
// are stored. Only where the number of tasks is not known: where it is, Algorithm 3 is followed to
// the letter, and the plan also decides which of the examples leave the memory first.
bool stores_all(std::size_t quota, std::size_t examples, const SimulationOptions& options);

// What the length of a search depends on, besides the options.
struct SearchSize {
  int task = 1;
  std::size_t capacity = 0;  // |M|
  std::size_t quota = 0;     // of the task
  std::size_t examples = 0;  // of the task
  std::size_t workers = 1;   // of which idle ones may simulate what the search does not ask for
};

// Returns the most candidates that are simulated after the task; 0 if none is.
std::size_t most_candidates(const SimulationOptions& options, const SearchSize& size);

// Returns the most training steps of one candidate, for a task with this many examples.
std::size_t steps_of_candidate(const SimulationOptions& options, int task, std::size_t examples);

}  // namespace gps
