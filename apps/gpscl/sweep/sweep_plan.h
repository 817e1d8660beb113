// The runs that a sweep file asks for. Every grid point goes through the options of `gpscl run`
// themselves: what they know or refuse, sweeps do.
#pragma once

#include "gps/experiments/scheduling/run_many.h"
#include "gps/experiments/scheduling/sweep_file.h"

namespace gps::cli {

struct SweepPlan {
  std::string name;
  std::string title;
  std::vector<Job> jobs;           // each spec and seed once, in the order of the file
  std::vector<std::string> notes;  // combinations that were left out, and why
};

// Arrays are the axes of a grid, but for `seeds`, where they are the seeds. Learners and policies
// of a grid are combined as `gpscl run` does: one without a memory runs once, whatever the
// policies. A default that concerns none of a grid's learners and policies is left out of that
// grid. A value that fits nowhere is a UsageError "FILE:LINE: key = value: …"; a combination that
// cannot be is left out with a note.
SweepPlan plan_sweep(const std::filesystem::path& path);

}  // namespace gps::cli
