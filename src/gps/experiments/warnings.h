// Warnings about runs that ended without an error. So far there is one: the network learnt nothing.
// With too high a learning rate, a network may give the same answer for every image while its loss
// is still finite.
#pragma once

#include <string>
#include <vector>

#include "gps/benchmarks/benchmark.h"
#include "gps/experiments/result.h"

namespace gps {

// The properties of a task's test set that matter for guessing.
struct GuessedTest {
  std::size_t images = 0;
  double guess = 0;  // best accuracy without looking at the images: always the same answer
};

// `guess` is the share of the most frequent label. With C labels it is at least 1/C. REQUIRES: the
// set is not empty.
GuessedTest guessed(const Dataset& test);

// Returns whether this accuracy is no better than guessing. It is if guessing reaches it with a
// probability of more than 1 %: P(X >= right answers) > 0.01 for X ~ Bin(images, guess). Returns
// false if the test set is too small to decide: if guessing also reaches (1 + guess)/2, half-way
// between guessing and no mistake, with more than that probability (three images of ten equally
// frequent labels, 24 of two). So 99 of 100 tasks on which a network guesses are detected, and a
// network that is better than half-way is never reported.
bool is_at_chance(double accuracy, const GuessedTest& test);

// Returns one line for each warning; options are named in backticks. `tests` has one entry per
// task. Uses only the accuracies of the result.
std::vector<std::string> warnings_of(const RunResult& result,
                                     const std::vector<GuessedTest>& tests);

// The same, with the test sets of the stream.
std::vector<std::string> warnings_of(const RunResult& result, const Benchmark& benchmark);

}  // namespace gps
