// The size of the runs behind a table: that of the paper, or smaller to save time.
#pragma once

#include <string>
#include <vector>

#include "gps/experiments/spec/spec.h"

namespace gps {

enum class Scale {
  smoke,    // seconds: checks only that everything works
  reduced,  // minutes: fewer examples and seeds; shows the order of methods, not their level
  full,     // the paper's settings, five seeds
};

std::string name_of(Scale scale);
// Throws UsageError for an unknown name.
Scale scale_from(const std::string& name);

int default_seeds(Scale scale);

// Returns the spec at this scale. A ResNet18 computes with the fastest backend, as in gpscl run.
//   full     the spec as it is
//   reduced  grey images: 5,000 examples per task; natural images: 1,000, half the memory, 5 epochs
//            (2 in simulation), a ResNet18 with a third of the width in bf16 if the CPU has matrix
//            tiles (AMX), otherwise the convnet
//   smoke    a few examples, one epoch, three to five tasks, a small memory, a small network
Spec at_scale(Spec spec, Scale scale);

}  // namespace gps
