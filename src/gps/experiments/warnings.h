// What a person should know about runs that ended without an error: the network learnt nothing, it
// collapsed, or the simulations of GPS did. The bounds are those of training/health.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gps/experiments/result.h"
#include "gps/training/health.h"

namespace gps {

// The share of the most frequent answer on the test set of each task (columns) after each stage
// (rows), of the same shape as RunResult::accuracy. 1: the network gives one answer for all images
// of the task.
using AnswerShares = std::vector<std::vector<double>>;

struct Findings {
  std::vector<std::string> warnings;  // one line each; options are named in backticks
  // Whether the result is that of a dead network, which is not compared with others. There is a
  // warning then.
  bool has_collapsed = false;
};

// Returns what to say if every simulation failed after some of these decisions, or an empty text.
std::string failed_simulations(std::span<const Decision> decisions);

// `tests` has one entry per task. `answers` may be empty: not known. `common_guess` is the best
// accuracy over all tests of one answer, if every task has all classes. Uses only the accuracies
// and the decisions of the result.
//
// A task is not learnt if the network, directly after training on it, is no better than guessing on
// it (is_at_chance) or gives one answer for all its images (gives_one_answer). If it is several
// tasks, without one answer for all images of one of them, and it is better than guessing on all of
// them together, they count as learnt: their test sets are small.
//
// The network collapses in a task if the task is not learnt and accuracy on the tasks before it
// falls by half while it is learnt (fell_by_half). A network that learns the new task and forgets
// the old ones does not collapse.
//
// The result is that of a dead network if more than half of the tasks were not learnt, if the last
// task was not learnt and the network is no better than guessing over all tasks, or if it collapsed
// in a task, did not get back above half of what it had lost, and did not learn the last task.
//
// Where a task was not tested directly after training on it (experiments/evaluation.h), it does not
// count as not learnt. Where the tasks before it were not tested directly before and after, the
// network does not count as collapsed in it.
Findings findings_of(const RunResult& result, const std::vector<GuessedTest>& tests,
                     const AnswerShares& answers = {},
                     std::optional<double> common_guess = std::nullopt);

// Results of this version have no mark of dead networks and no numbers of test images.
inline constexpr const char* kVersionWithoutMarks = "0.1.0";

// The same for such a result, from its class accuracies alone: a network that gives one answer for
// all images is right on one of the C classes of a task and wrong on the others, so that the mean
// over classes is exactly 1/C. Returns whether this holds for all tasks at the end, or for more
// than half of the tasks directly after training on them.
bool gave_one_answer(const RunResult& result);

}  // namespace gps
