// Which accuracy of a result comes first where people read it. If tasks have classes of their own,
// it is the accuracy among all classes: whoever uses the network does not know the task of an
// image. The accuracy among the classes of each task, which the paper prints, comes second. Files
// and `gpscl reproduce` name both and are not concerned.
#pragma once

#include "gps/experiments/result.h"

namespace gps {

// Whether tasks have classes of their own, so that the two accuracies differ.
bool is_led_by_all_classes(const RunResult& result);

// Return what comes first: among all classes if is_led_by_all_classes(), otherwise what there is.
const AccuracyMatrix& leading_accuracy(const RunResult& result);
const Metrics& leading_metrics(const RunResult& result);

}  // namespace gps
