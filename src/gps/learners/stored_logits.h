// Adds logits to examples that a policy stored without any (A30), as in memories that are built
// when a task ends.
#pragma once

#include "gps/learners/learner.h"

namespace gps {

// Stores the learner's current logits with every example that has none. Does nothing for learners
// that do not replay logits.
void store_missing_logits(Memory& memory, Learner& learner);

}  // namespace gps
