// The runs that a sweep file defines. Every grid point is read by the options of `gpscl run`, so a
// sweep accepts and refuses the same values.
#pragma once

#include "gps/experiments/scheduling/run_many.h"
#include "gps/experiments/scheduling/sweep_file.h"

namespace gps::cli {

struct SweepRuns {
  std::string name;
  std::string title;
  std::vector<Job> jobs;            // each spec and seed once, in the order of the file
  std::vector<std::string> notes;   // combinations that were left out, and why
  std::vector<std::string> labels;  // labels[k]: of the spec of job k; name_jobs() sets them
};

// Sets the labels of the specs, and those of the jobs: "er gps seed 3".
void name_jobs(SweepRuns& runs);

// Arrays are the axes of a grid, except for `seeds`, where an array lists the seeds. Learners and
// policies of a grid are combined as in `gpscl run`: a learner without a memory runs once, whatever
// the policies. A default that none of a grid's learners and policies uses is left out of that
// grid. A value that leads to no run causes a UsageError "FILE:LINE: key = value: …". A combination
// that is not possible is left out, with a note.
SweepRuns sweep_runs(const std::filesystem::path& path);

}  // namespace gps::cli
