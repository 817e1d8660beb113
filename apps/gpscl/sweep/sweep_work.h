// Does the missing runs of a sweep, for `gpscl sweep` and `gpscl reproduce`.
#pragma once

#include <functional>
#include <string>

#include "gps/core/option_table.h"
#include "gps/experiments/store/store.h"
#include "sweep/sweep_runs.h"

namespace gps::cli {

struct SweepOptions {
  bool wants_help = false;
  std::string file;
  std::string data;
  std::string out = "results";
  std::string store;
  std::string tensorboard;
  std::string checkpoint_every = "5";
  int jobs = 0;
  bool is_dry = false;
  bool retries_failed = false;
  bool reruns = false;
};

// Returns the options that `gpscl sweep` and `gpscl reproduce` share. Those that `gpscl run` has
// too have its rows.
const OptionTable<SweepOptions>& work_options();

// Does the runs that the store does not have yet, longest first, on all ranks of a
// cluster if there is one. Then calls `finish`. With options.is_dry it only shows the runs. Returns
// the exit code: that of `finish`, or that of an interruption.
int carry_out(const SweepOptions& options, const std::function<SweepRuns()>& make_runs,
              const std::function<int(const SweepRuns&, Store&)>& finish);

}  // namespace gps::cli
