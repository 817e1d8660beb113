// The numbers printed in the paper, as data, and the runs that each of them belongs to: Liu, Zhu
// and Ren, "Navigating Memory Construction by Global Pseudo-Task Simulation for Continual
// Learning", NeurIPS 2022. Its figures 1, 4 (a), 4 (b) and 5 are curves without numbers.
//
// Tables are numbered as in the paper. tests/report/paper_test.cpp compares all numbers with the
// paper's LaTeX source, if there is a copy ($GPSCL_PAPER).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gps/experiments/spec/spec.h"

namespace gps {

struct Printed {
  std::string item;                   // the name in `gpscl reproduce`: "table1", "fig4c", "der-hal"
  std::string row;                    // as in the paper: "GPS, Permutation"
  std::string column;                 // likewise: "P-MNIST", "T = 20", "Task 3", "Training"
  double value = 0;                   // accuracies in percent, times in minutes
  std::optional<double> deviation{};  // over the paper's five runs, if it gives one

  // The setting, in the names of gpscl. `learner` is empty if the number is not a run's final
  // accuracy.
  std::string benchmark{};  // "p-mnist"
  int tasks = 0;
  int memory = 0;         // |M|; 0 if it has no effect
  std::string learner{};  // "er"
  std::string policy{};   // "gps:permutation"; "none" for learners without a memory
};

// Returns all numbers, item by item and row by row, in the order of the paper.
const std::vector<Printed>& printed_numbers();
std::vector<Printed> printed_in(const std::string& item);
// Returns the number of this item, row and column, if there is one.
std::optional<Printed> find_printed(const std::string& item, const std::string& row,
                                    const std::string& column);

// Returns the paper's name of a benchmark, such as "P-MNIST", or the name itself if the benchmark
// is not in the paper.
std::string paper_name(const std::string& benchmark);

// Returns the options of the corresponding run: those of `gpscl run BENCHMARK --learner L --policy
// P --tasks T --memory M`, which are the paper's. Where the paper leaves something open, the choice
// that comes closest to its numbers is used: oewc with `--fisher mammoth`. Returns nothing if the
// number is not a run's final accuracy.
std::optional<Spec> spec_for(const Printed& printed);

// Returns the paper's numbers for runs of this spec, in the order of printed_numbers(). A number
// belongs to a spec that differs from its own only in options that the paper does not mention:
// --reuse, --score-examples, --init, and how and where the network computes.
std::vector<Printed> printed_for(const Spec& spec);

}  // namespace gps
