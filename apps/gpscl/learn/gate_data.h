// The images of --gate: read before anything is learnt, and answered afterwards by the new version
// and the version before it.
#pragma once

#include <string>
#include <vector>

#include "gps/core/work/executor.h"
#include "gps/core/work/stop.h"
#include "gps/deployment/acceptance/gate.h"
#include "gps/deployment/learn_state.h"
#include "learn/learn_options.h"

namespace gps::cli {

// Returns the limits that the request sets.
Gate gate_of(const LearnRequest& request);

// Reads the images of --gate whose class is one of `classes`; says how many others there are.
// Throws what reading images throws, and UsageError or DataError if no image is left. Empty if the
// request has no such data.
Dataset read_gate_images(const LearnRequest& request, const LearnState& state,
                         const std::vector<std::string>& classes, Executor& executor,
                         const StopFlag& stop);

// Returns what the versions answer for these images. Leaves out those that `now` was trained on,
// and says how many; warns of those that are in the new data. `before` is null for a first version.
GateEvidence gate_evidence(const Dataset& images, const TrainedImages& new_data, LearnState& now,
                           LearnState* before, const StopFlag& stop);

}  // namespace gps::cli
