// What `gpscl reproduce` was asked for, and the runs and analyses behind it.
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

// All that an item has rows for: its defaults first.
std::vector<std::string> all_benchmarks(const Item& item);

// Those of `--benchmarks`, which some item must have rows for; none without it. Throws UsageError.
std::vector<std::string> named_benchmarks(const ReproduceOptions& options);

// Those that were asked for and the item has rows for, or else `otherwise`.
std::vector<std::string> benchmarks_of(const Item& item, const ReproduceOptions& options,
                                       const std::vector<std::string>& otherwise);

Question question_of(const std::string& benchmark, Scale scale, const ReproduceOptions& options);

// Each item that was named with each of its benchmarks. Throws UsageError for unknown names, and
// for an item that has no rows for a benchmark.
std::vector<Asked> asked(const ReproduceOptions& options);

std::vector<Job> jobs_for(const Asked& each);
Analyses analyses_for(const Asked& each);
Analyses all_analyses(const std::vector<Asked>& all);

// The runs behind all of them, each once.
SweepPlan plan_of(const std::vector<Asked>& all);

}  // namespace gps::cli
