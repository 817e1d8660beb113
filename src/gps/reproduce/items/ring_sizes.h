// The common part of Figures 4 (a), 4 (b) and Appendix B: curves of a task's loss over the share of
// the ring part in its memory.
#pragma once

#include "gps/reproduce/accuracy_table.h"

namespace gps {

// Returns the shares to try: those of the paper's plots, and the two ends.
std::vector<double> ring_ratios(Scale scale);

// Returns task 3, as in the paper, or the last but one of shorter streams. On P-MNIST it is task 1,
// whose images are not permuted.
int analysed_task(const Question& question);

// Returns the options of the analysis. Before the task, the memory is half ring, half random.
// `future` is `offline` for the real later tasks.
RingSizeOptions ring_size_options(const Question& question, int task, const std::string& future);

// Returns one analysis per seed.
std::vector<Analysis<RingSizeOptions>> ring_size_analyses(const Question& question, int task,
                                                          const std::string& future);

// Returns the futures of Figure 4, offline first.
const std::vector<std::string>& figure_4_futures();

// Returns the switching point: the ratio at which the final loss of the task on its test set
// (L^G_j) is lowest.
double lowest_ratio(const RingSizeCurve& curve, const std::vector<double>& ratios);

// Returns f(curve) for each seed that has a curve.
BySeed by_seed(const Question& question, const Evidence& evidence, int task,
               const std::string& future, const std::function<double(const RingSizeCurve&)>& f);

}  // namespace gps
