// Estimates the cost of a run before it is done. The order of the work and the expected time of a
// sweep depend on it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gps/experiments/store/store.h"

namespace gps {

// Returns an estimate, in steps of er on P-MNIST with the paper's network and batches. It counts
// real and simulated steps by the size of their batches, the network and the learner's
// relative_cost(), and adds the tests. If the number of examples is not known before the data is
// read, all of them are assumed.
double expected_cost(const Spec& spec);

// Estimates seconds on one core. It uses the first of these that the store has: runs of the same
// spec with other seeds, runs of the same benchmark and learner, runs of the same benchmark, each
// scaled by cost. Without any of them it uses 40 microseconds per unit of cost, as on the machine
// of docs/performance.md.
class SpeedEstimate {
 public:
  // REQUIRES: all runs are done.
  explicit SpeedEstimate(const std::vector<StoredRun>& done);
  double seconds(const Spec& spec) const;

 private:
  struct Sum {
    double seconds = 0;
    double cost = 0;
  };
  std::map<std::string, Sum> sums_;  // by spec, "benchmark learner" and "benchmark"
};

// Returns when the last of several jobs is done, if each in this order goes to the first worker
// that is free. REQUIRES: workers >= 1.
double makespan(const std::vector<double>& seconds, int workers);

}  // namespace gps
