// What Tables 3 and 4 have in common: tasks learnt alone.
#pragma once

#include "gps/reproduce/accuracy_table.h"

namespace gps {

// Five tasks, or as many as there are. `source` is `real`, or the future that makes them of task 1.
DifficultyOptions difficulty_options(const Question& question, const std::string& source);
std::vector<Analysis<DifficultyOptions>> difficulty_analyses(const Question& question,
                                                             const std::string& source);

// Accuracies in percent, by seed: of the k-th task (from 0), the mean over all, and their variance.
struct Difficulties {
  std::string source;
  std::vector<BySeed> tasks;
  Named mean;
  Named variance;
};
Difficulties difficulties(const Question& question, const Evidence& evidence,
                          const std::string& source);

// Two rows: ours, and what the paper prints in this row of the item, if it does.
void add_rows(Section& section, const Difficulties& ours, const std::string& item,
              const std::string& row);
Table difficulty_table(const std::string& first);

// The levels of all tasks at full scale.
Judgement difficulty_levels(std::string claim, const Difficulties& ours, const std::string& item,
                            const std::string& row, const Question& question);

}  // namespace gps
