// The common part of Tables 3 and 4: tasks learnt alone.
#pragma once

#include "gps/reproduce/accuracy_table.h"

namespace gps {

// Options for five tasks, or for all if there are fewer. `source` is `real`, or the future that
// makes them from task 1.
DifficultyOptions difficulty_options(const Question& question, const std::string& source);
std::vector<Analysis<DifficultyOptions>> difficulty_analyses(const Question& question,
                                                             const std::string& source);

// Accuracies in percent, by seed: of the k-th task (from 0), their mean over tasks, and their
// variance over tasks.
struct Difficulties {
  std::string source;
  std::vector<BySeed> tasks;
  Named mean;
  Named variance;
};
Difficulties difficulties(const Question& question, const Evidence& evidence,
                          const std::string& source);

// Adds two rows: our numbers, and those that the paper prints in this row of the item, if it has
// it.
void add_rows(Section& section, const Difficulties& ours, const std::string& item,
              const std::string& row);
Table difficulty_table(const std::string& first);

// Judges the levels of all tasks, at full scale only.
Judgement difficulty_levels(std::string claim, const Difficulties& ours, const std::string& item,
                            const std::string& row, const Question& question);

}  // namespace gps
