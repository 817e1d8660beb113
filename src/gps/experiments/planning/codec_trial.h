// What a codec is worth where tasks bring new classes: few exact examples or many coarse ones. The
// classes of one task are divided. One half is in the memory, as the codec stores it and as much of
// it as there will be when the stream ends; the other half is learnt from exact examples, by a
// network without any training. It is tested on exact examples of both halves, which shows what the
// coarse examples teach, and whether being coarse is taken for the mark of a class.
//
// For streams whose tasks have the same classes, imagined streams tell more
// (experiments/planning/planner.h).
#pragma once

#include <string>
#include <vector>

#include "gps/experiments/planning/planner.h"

namespace gps {

// The codecs that are worth a trial for images of this shape, from fine to coarse.
std::vector<std::string> codecs_for(const ImageShape& shape);

// Returns a choice among these codecs, which go from fine to coarse, with all trials, the best
// first. The score is the accuracy averaged over the classes of the task and over several draws, in
// which all codecs see the same examples in the same order; 0 for codecs that the budget has no
// room for. Of codecs whose scores are within a standard error of the best, the one in the middle
// is chosen. If the task has one class or too few examples to tell, the first is chosen. REQUIRES:
// the budget is in bytes.
RecipeChoice choose_codec(const Recipe& recipe, const std::vector<std::string>& codecs,
                          const Task& task, const PlanningNeeds& needs, Executor& executor,
                          const Rng& rng);

}  // namespace gps
