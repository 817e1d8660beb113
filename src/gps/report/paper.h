// The numbers that the paper prints, as data, and which of our runs each of them belongs to: Liu,
// Zhu and Ren, "Navigating Memory Construction by Global Pseudo-Task Simulation for Continual
// Learning", NeurIPS 2022. Its figures 1, 4 (a), 4 (b) and 5 are curves without numbers.
//
// Tables are counted as the paper counts them. tests/report/paper_test.cpp compares all of it with
// the paper's LaTeX source, where there is a copy ($GPSCL_PAPER).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gps/experiments/spec.h"

namespace gps {

struct Printed {
  std::string item;    // where, as `gpscl reproduce` calls it: "table1", "fig4c", "der-hal"
  std::string row;     // as the paper calls it: "GPS, Permutation"
  std::string column;  // likewise: "P-MNIST", "T = 20", "Task 3", "Training"
  double value = 0;    // accuracies in percent, times in minutes
  std::optional<double> deviation{};  // over the paper's five runs, where it gives one

  // The setting, in our names. `learner` is empty where the number is not a run's final accuracy.
  std::string benchmark{};  // "p-mnist"
  int tasks = 0;
  int memory = 0;         // |M|; 0 where it plays no part
  std::string learner{};  // "er"
  std::string policy{};   // "gps:permutation"; "none" for learners without a memory
};

// All of them, item by item, row by row, in the order in which the paper has them.
const std::vector<Printed>& printed_numbers();
std::vector<Printed> printed_in(const std::string& item);
// The one of this item, row and column, if there is one.
std::optional<Printed> find_printed(const std::string& item, const std::string& row,
                                    const std::string& column);

// "P-MNIST": what the paper calls a benchmark; the name itself for those that it does not have.
std::string paper_name(const std::string& benchmark);

// The options that make our row of it: those of `gpscl run BENCHMARK --learner L --policy P --tasks
// T
// --memory M`, which are the paper's. Where the paper leaves something open, the reading that comes
// near it: oewc with `--fisher mammoth`. None for what is not a run's final accuracy.
std::optional<Spec> spec_for(const Printed& printed);

// The way back: what the paper prints for runs of this spec, in the order of printed_numbers(). A
// number belongs to a spec that differs from its own in nothing but what the paper does not speak
// of: --reuse, --score-examples, --init, and how and where the network computes.
std::vector<Printed> printed_for(const Spec& spec);

}  // namespace gps
