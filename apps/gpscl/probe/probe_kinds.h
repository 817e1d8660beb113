// The kinds of probe. Each runs its analyses and makes a table of the results.
#pragma once

#include "gps/report/tables/seed_table.h"
#include "probe/probe_bench.h"

namespace gps::cli {

// The results of a probe: a table and lines of text below it.
struct ProbeFindings {
  SeedTable table;
  std::vector<std::string> notes;
};

// Makes the folder and opens the store. Called once, after all options have been checked.
using MakeBench = std::function<Bench&()>;

ProbeFindings probe_ring_size(ProbeOptions& options, const MakeBench& bench);
ProbeFindings probe_forgetting(ProbeOptions& options, const MakeBench& bench);
ProbeFindings probe_one_minimum(ProbeOptions& options, const MakeBench& bench);
ProbeFindings probe_difficulty(ProbeOptions& options, const MakeBench& bench);
ProbeFindings probe_zero_shot(ProbeOptions& options, const MakeBench& bench);
ProbeFindings probe_ratio_distance(ProbeOptions& options, const MakeBench& bench);
ProbeFindings probe_time(ProbeOptions& options, const MakeBench& bench);
ProbeFindings probe_forgetting_in_runs(ProbeOptions& options, const MakeBench& bench);

inline const SeedMeasure kTestLoss{"test loss", 4};
inline const SeedMeasure kTestAccuracy{{"test accuracy", "%"}, 2};
inline const SeedMeasure kSeenLoss{"held-back loss", 4};
inline const SeedMeasure kSeenAccuracy{{"held-back accuracy", "%"}, 2};

// Returns one value per result; results without a value are left out.
template <typename Result, typename Value>
std::vector<double> over(const std::vector<Result>& results, const Value& value) {
  std::vector<double> all;
  for (const Result& result : results) {
    if (const std::optional<double> each = value(result)) all.push_back(*each);
  }
  return all;
}

inline double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value / static_cast<double>(values.size());
  return sum;
}

}  // namespace gps::cli
