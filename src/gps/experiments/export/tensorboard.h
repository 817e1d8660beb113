// Writes a run for TensorBoard: curves over the number of tasks learnt, its plan, the accuracy
// matrix, and the stored examples as images (docs/result-format.md).
#pragma once

#include <filesystem>
#include <set>

#include "gps/experiments/export/event_file.h"
#include "gps/experiments/result.h"

namespace gps {

struct TensorboardOptions {
  std::filesystem::path folder;  // empty: write nothing
  bool examples = true;          // also show the memory; only for runs in this process
};

// Returns folder/NAME/events.out.tfevents.gpscl, where NAME.json is the run's file.
std::filesystem::path tensorboard_file(const std::filesystem::path& folder, const Spec& spec,
                                       std::uint64_t seed);

// Writes events during a run and at its end. Written events do not change, so TensorBoard may read
// the file meanwhile. The exception is a resumed run: at its end the file is started again, so that
// its steps are in order.
class TensorboardRun {
 public:
  // Starts the file. Times are in seconds since 1970. All functions throw DataError.
  TensorboardRun(const std::filesystem::path& folder, const Spec& spec, std::uint64_t seed,
                 double now);

  // Records that a task, counted from 1, has been learnt. `accuracy` is the mean over all tasks so
  // far.
  void end_task(int task, double accuracy, double now);

  // Writes everything else that the result contains.
  void end(const RunResult& result, double now);

  // Writes the examples in the memory after this task, with permuted pixels in their original
  // places.
  void show(const Memory& memory, const ImageShape& shape, int task, double now);

 private:
  void tell_plan(const RunResult& result, double now);

  BenchmarkOptions benchmark_;
  std::uint64_t seed_;
  std::filesystem::path path_;
  EventFile file_;
  std::set<int> told_;  // tasks already recorded by end_task()
};

// Returns R_ij as coloured squares, dark for 0 and bright for 1: a row for each i, a column for
// each j. REQUIRES: the matrix has at least one row.
Picture heat_map(const AccuracyMatrix& accuracy);

// Returns the first stored examples of each task in a row, ring part first, with lines between
// them. Shows at most 20 examples of each of at most 100 tasks. REQUIRES: the memory has at least
// one example.
Picture contact_sheet(const Memory& memory, const ImageShape& shape);

}  // namespace gps
