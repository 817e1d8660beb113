// The common part of Tables 2 (b) and 7: other local updates, alone and under GPS.
#pragma once

#include "gps/reproduce/accuracy_table.h"

namespace gps {

// Returns the rows of `item` for this benchmark: the other methods of the table, and for each
// learner in `variants` ("hal", "der", "der++") one row alone and one under GPS.
AccuracyTable other_learners_table(const Question& question, const std::string& item,
                                   const std::vector<std::string>& variants);
Finding judge_other_learners(const Question& question, const Evidence& evidence,
                             const std::string& item, const std::vector<std::string>& variants);

}  // namespace gps
