// Recorded analyses (gps/probes/recorded.h) for a report, in groups. The analyses of a group have
// the same options, except for the seed and the kind of tasks.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "gps/experiments/store/store.h"
#include "gps/probes/difficulty.h"
#include "gps/probes/ring_size_curve.h"
#include "gps/probes/zero_shot.h"

namespace gps {

struct ReportedAnalysis {
  std::string kind;     // "ring-size"
  std::string options;  // canonical JSON
  Spec spec;            // part of the options
  std::uint64_t seed = 0;
  std::variant<RingSizeCurve, Difficulty, ZeroShot> result;
};

// Throws DataError that names the analysis, if the record cannot be read.
ReportedAnalysis reported(const StoredAnalysis& analysis);

struct AnalysisGroup {
  std::string title;  // "p-mnist, 10 tasks, memory 1000, task 1": unique among the groups
  std::vector<const ReportedAnalysis*> analyses;  // in the given order
};

// Returns groups of analyses of one kind that differ only in the seed and the options `apart`,
// sorted by title.
std::vector<AnalysisGroup> groups_of(const std::vector<ReportedAnalysis>& analyses,
                                     const std::string& kind,
                                     const std::vector<std::string>& apart);

// Returns the position of a kind of tasks: real tasks ("real", "offline") come first, then the
// order of the paper. A label that begins with a kind has its position.
std::size_t rank_of_tasks(const std::string& label);

}  // namespace gps
