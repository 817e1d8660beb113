// Logits for the examples that a policy stored without any (A30): those of memories that are built
// when a task ends.
#pragma once

#include "gps/learners/learner.h"

namespace gps {

// Fills in what the learner says now of every example that has no logits. Does nothing for learners
// that do not replay them.
void store_missing_logits(Memory& memory, Learner& learner);

}  // namespace gps
