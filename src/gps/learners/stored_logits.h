// The logits that learners store with examples: their format, and those of examples that a policy
// stored without any (A30), as in memories that are built when a task ends.
#pragma once

#include <optional>

#include "gps/learners/learner.h"

namespace gps {

struct StoredLogitsOptions {
  LogitsFormat logits = LogitsFormat::float32;
};

// The option `logits`, which every learner that stores logits has.
const OptionTable<StoredLogitsOptions>& stored_logits_options();

// Returns the format of the logits that the learner stores; nothing if it stores none.
std::optional<LogitsFormat> stored_logits_format(const LearnerOptions& options);

// Stores the learner's current logits with every example that has none. Does nothing for learners
// that do not replay logits.
void store_missing_logits(Memory& memory, Learner& learner);

}  // namespace gps
