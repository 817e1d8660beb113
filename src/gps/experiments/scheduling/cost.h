// What a run will cost, before it is run: who goes first, and how long a sweep will take.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gps/experiments/store/store.h"

namespace gps {

// A guess, in steps of er on P-MNIST with the paper's network and batches: real and simulated
// steps, by the size of their batches, the network, and relative_cost() of the learner;
// and tests. Where the data is not known before it is read, it is taken to be all of it.
double expected_cost(const Spec& spec);

// Seconds on one core. What the store has measured goes first: the same spec with other seeds, then
// runs of the same benchmark and learner, then of the same benchmark, each by their cost; without
// any of them, 40 microseconds a unit of cost, as on the machine of docs/performance.md.
class SpeedEstimate {
 public:
  // REQUIRES: runs that are done.
  explicit SpeedEstimate(const std::vector<StoredRun>& done);
  double seconds(const Spec& spec) const;

 private:
  struct Sum {
    double seconds = 0;
    double cost = 0;
  };
  std::map<std::string, Sum> sums_;  // by spec, "benchmark learner" and "benchmark"
};

// When the last of several jobs is done, if each goes to the first of `workers` that is free, in
// this order. REQUIRES: workers >= 1.
double makespan(const std::vector<double>& seconds, int workers);

}  // namespace gps
