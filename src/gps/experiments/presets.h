// Hyper-parameters that others chose: those of the paper (Appendix F), and those that Mammoth's
// authors tuned for the same methods.
#pragma once

#include <string>

#include "gps/experiments/spec.h"

namespace gps {

const Catalog& preset_catalog();

// Sets everything that the preset says of spec.benchmark, spec.learner and spec.memory, and leaves
// the rest alone. Throws UsageError for a preset that does not exist or says nothing of the
// benchmark or the learner.
//   paper    learning rate 0.1 (ogd: 0.001, its authors'), batches of 10 + 10, 5 epochs; the
//   weights of each method. Split
//            streams, which the paper does not have for the MLP, take the same. For der++,
//            mixed and gps replay the task under way too (--in-task running, section 5.4), in both
//            presets.
//   mammoth  20 tasks, batches of 128 + 128, 1 epoch, the loss `concat`; learning rate and weights
//            of each method for the nearest of the memories 200, 500 and 5120; HAL's anchors and
//            A-GEM's memory as Mammoth makes them. Permuted streams
//            only.
void apply_preset(Spec& spec, const std::string& preset);

// The policy of the learner where none is named.
std::string preset_policy(const std::string& preset, const std::string& learner);

}  // namespace gps
