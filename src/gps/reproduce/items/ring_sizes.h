// What Figures 4 (a), 4 (b) and Appendix B have in common: curves of a task's loss over the share
// of the ring part in its memory.
#pragma once

#include "gps/reproduce/accuracy_table.h"

namespace gps {

// The shares that are tried: those of the paper's plots, and the two ends.
std::vector<double> ring_ratios(Scale scale);

// Task 3, as in the paper, or the last but one of shorter streams; on P-MNIST task 1, whose images
// are as they are.
int analysed_task(const Question& question);

// The analysis: before the task, memories are half ring, half random. `future` is `offline` for the
// real tasks to come.
RingSizeOptions ring_size_options(const Question& question, int task, const std::string& future);

// One for each seed.
std::vector<Analysis<RingSizeOptions>> ring_size_analyses(const Question& question, int task,
                                                          const std::string& future);

// The futures of Figure 4: offline first.
const std::vector<std::string>& figure_4_futures();

// The ratio at which the loss of the task on its test set (L^G_j) is lowest in the end: the
// switching point.
double lowest_ratio(const RingSizeCurve& curve, const std::vector<double>& ratios);

// f(seed's curve) of each seed that is there.
BySeed by_seed(const Question& question, const Evidence& evidence, int task,
               const std::string& future, const std::function<double(const RingSizeCurve&)>& f);

}  // namespace gps
