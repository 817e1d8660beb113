// How large the runs behind a table are: the paper's size, or less where there is no time for it.
#pragma once

#include <string>
#include <vector>

#include "gps/experiments/spec.h"

namespace gps {

enum class Scale {
  smoke,    // seconds: does it work at all?
  reduced,  // minutes: fewer examples and seeds; the order of methods can be seen, not their level
  full,     // the paper's settings, five seeds
};

std::string name_of(Scale scale);
// Throws UsageError for a name that is none.
Scale scale_from(const std::string& name);

int default_seeds(Scale scale);

// The spec at this scale. `full` leaves it as it is.
//   reduced  grey images: 5,000 examples a task; natural ones: 1,000, half the memory, 5 epochs (2
//            in simulation), a ResNet18 of a third of the width in bf16 where the CPU has matrix
//            tiles (AMX), the convnet elsewhere
//   smoke    a few examples, one epoch, three to five tasks, a small memory, a small network
Spec at_scale(Spec spec, Scale scale);

}  // namespace gps
