// The request of `gpscl reproduce`, and the runs and analyses that it needs.
#pragma once

#include <string>
#include <vector>

#include "gps/reproduce/document.h"
#include "reports/analyses_work.h"
#include "sweep/sweep_work.h"

namespace gps::cli {

struct ReproduceOptions {
  SweepOptions work;
  std::vector<std::string> items;
  std::string benchmarks;
  std::string scale;
  int seeds = 0;
  std::string format;
  std::string output;
  std::string notes;
  bool only_reports = false;
};

// One item on one benchmark, at one scale.
struct Asked {
  const Item* item;
  Question question;
};

// Returns all benchmarks that the item has rows for, its defaults first.
std::vector<std::string> all_benchmarks(const Item& item);

// Returns the benchmarks of `--benchmarks`, or none without it. Throws UsageError if no item has
// rows for one of them.
std::vector<std::string> named_benchmarks(const ReproduceOptions& options);

// Returns the benchmarks of `--benchmarks` that the item has rows for, or `otherwise` without that
// option.
std::vector<std::string> benchmarks_of(const Item& item, const ReproduceOptions& options,
                                       const std::vector<std::string>& otherwise);

Question question_of(const std::string& benchmark, Scale scale, const ReproduceOptions& options);

// Returns each requested item with each of its benchmarks. Throws UsageError for unknown names, and
// if a named item has no rows for a benchmark.
std::vector<Asked> asked(const ReproduceOptions& options);

std::vector<Job> jobs_for(const Asked& each);
Analyses analyses_for(const Asked& each);
Analyses all_analyses(const std::vector<Asked>& all);

// Returns the runs that these items need, each run once.
SweepRuns runs_of(const std::vector<Asked>& all);

}  // namespace gps::cli
