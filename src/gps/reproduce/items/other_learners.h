// Tables 2 (b) and 7: other local updates, alone and under GPS.
#pragma once

#include "gps/reproduce/accuracy_table.h"

namespace gps {

// The rows of `item` for this benchmark: methods without replay of examples by ER, and for each of
// `variants` (learners: "hal", "der", "der++") one alone and one under GPS.
AccuracyTable other_learners_table(const Question& question, const std::string& item,
                                   const std::vector<std::string>& variants);
Finding judge_other_learners(const Question& question, const Evidence& evidence,
                             const std::string& item, const std::vector<std::string>& variants);

}  // namespace gps
