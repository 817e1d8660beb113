// A run as TensorBoard shows it: curves over the number of tasks learnt, the accuracy matrix and
// the stored examples as images (docs/result-format.md).
#pragma once

#include <filesystem>
#include <set>

#include "gps/experiments/export/event_file.h"
#include "gps/experiments/result.h"

namespace gps {

struct TensorboardOptions {
  std::filesystem::path folder;  // empty: nothing is written
  bool examples = true;          // show the memory, too: of use where the run is in this process
};

// folder/NAME/events.out.tfevents.gpscl, where NAME.json is the run's file.
std::filesystem::path tensorboard_file(const std::filesystem::path& folder, const Spec& spec,
                                       std::uint64_t seed);

// What a run writes while it goes on and when it ends. It does not change what it has written, so
// TensorBoard may look on; but at the end of a run that was resumed the file is begun anew, so that
// its steps are in order.
class TensorboardRun {
 public:
  // Begins the file. Times are in seconds since 1970. All of this throws DataError.
  TensorboardRun(const std::filesystem::path& folder, const Spec& spec, std::uint64_t seed,
                 double now);

  // A task, from 1, has been learnt; the accuracy is the mean over all tasks so far.
  void end_task(int task, double accuracy, double now);

  // Everything else that the result says.
  void end(const RunResult& result, double now);

  // What the memory holds after this task, with pixels that a task permutes in their places again.
  void show(const Memory& memory, const ImageShape& shape, int task, double now);

 private:
  BenchmarkOptions benchmark_;
  std::uint64_t seed_;
  std::filesystem::path path_;
  EventFile file_;
  std::set<int> told_;  // tasks whose ends were told
};

// R_ij as a square of colour, dark for 0 and bright for 1: a row for each i, a column for each j.
// REQUIRES: a matrix with a row.
Picture heat_map(const AccuracyMatrix& accuracy);

// The first stored examples of each task in a row, ring part first, with lines between them. Shows
// at most 20 examples of each of at most 100 tasks. REQUIRES: an example.
Picture contact_sheet(const Memory& memory, const ImageShape& shape);

}  // namespace gps
