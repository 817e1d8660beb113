// The table at the end of `gpscl run`: policies side by side over the same seeds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/experiments/result.h"
#include "gps/report/tables/table.h"

namespace gps {

// Returns one line for each label, in the order of first appearance: mean ± standard deviation over
// seeds, and the difference to the first label over their common seeds, with its 95 % interval.
// Numbers are in percent. For streams with different classes in each task, accuracies and
// differences are among all classes (experiments/leading.h), and there is a column for the accuracy
// among the classes of each task. A label with a collapsed result (RunResult::has_collapsed) is
// marked "!"; no difference is given for it or to it. Lines below the table say what these mean.
// REQUIRES: at least one result, all of one benchmark.
std::string comparison_table(const std::vector<RunResult>& results);

// The same as a table without the last lines, with the caller's labels: labels[k] belongs to
// results[k]. Differences are to the label `baseline`, or to the first label if `baseline` is
// empty. If no label is `baseline`, there are no differences. REQUIRES: as many labels as results.
Table compare(const std::vector<RunResult>& results, const std::vector<std::string>& labels,
              bool with_seeds, const std::string& baseline = "");

// Returns the line that explains the mark "!", without a line feed; empty if no result collapsed.
std::string collapsed_note(const std::vector<RunResult>& results);

// Returns the line that says among which classes accuracies are, without a line feed; empty if
// every task has all classes. REQUIRES: at least one result, all of one benchmark.
std::string among_note(const std::vector<RunResult>& results);

// Returns both lines, those that there are, each with a line feed.
std::string notes_below(const std::vector<RunResult>& results);

// The same as JSON, with one object per label: {"label", "seeds": […], "average_accuracy": {"mean",
// "deviation"}, "difference": {"seeds": number in common, "mean", "half_width"}, …}. Numbers are
// fractions as in the results. As there, keys without "class_incremental" are among the classes of
// each task. Missing values are null. "collapsed" has the seeds whose network is dead, if there are
// any.
nlohmann::json compare_as_json(const std::vector<RunResult>& results,
                               const std::vector<std::string>& labels,
                               const std::string& baseline = "");

}  // namespace gps
