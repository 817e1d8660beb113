// Warnings about runs that ended without an error. So far there is one: the network learnt nothing.
// A learning rate that is too high can leave a network that answers the same to every image, with a
// loss that is still finite.
#pragma once

#include <string>
#include <vector>

#include "gps/benchmarks/benchmark.h"
#include "gps/experiments/result.h"

namespace gps {

// The test set of a task, as far as guessing is concerned.
struct GuessedTest {
  std::size_t images = 0;
  double guess = 0;  // the best accuracy without a look at the images: always the same answer
};

// `guess` is the share of the most frequent label, which is at least 1/C of C labels. REQUIRES: the
// set is not empty.
GuessedTest guessed(const Dataset& test);

// Is this accuracy no better than guessing? It is if guessing reaches it with a probability of more
// than 1 %: P(X >= right answers) > 0.01 for X ~ Bin(images, guess). False for test sets that are
// too small to tell: those in which guessing reaches (1 + guess)/2, half-way between guessing and
// no mistake, with that probability (three images of ten equally frequent labels, 24 of two). So of
// a network that guesses 99 of 100 tasks are noticed, and one that is beyond half-way is never
// accused.
bool is_at_chance(double accuracy, const GuessedTest& test);

// One line for people, for each thing worth it; options are named between backticks. `tests` has an
// entry for each task. Reads of the result: its accuracies.
std::vector<std::string> warnings_of(const RunResult& result,
                                     const std::vector<GuessedTest>& tests);

// The same for the tests of the stream that was run.
std::vector<std::string> warnings_of(const RunResult& result, const Benchmark& benchmark);

}  // namespace gps
