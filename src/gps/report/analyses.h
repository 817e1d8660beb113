// Recorded analyses (gps/probes/recorded.h) for a report, and which of them belong together: those
// whose options are equal, whatever the seed and the kind of tasks.
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
  Spec spec;            // out of them
  std::uint64_t seed = 0;
  std::variant<RingSizeCurve, Difficulty, ZeroShot> result;
};

// Throws DataError that names it, for a record that cannot be read.
ReportedAnalysis reported(const StoredAnalysis& analysis);

struct AnalysisGroup {
  std::string title;  // "p-mnist, 10 tasks, memory 1000, task 1": as much as tells it from others
  std::vector<const ReportedAnalysis*> analyses;  // as they came
};

// Those of one kind that differ in nothing but the seed and the options `apart`; by title.
std::vector<AnalysisGroup> groups_of(const std::vector<ReportedAnalysis>& analyses,
                                     const std::string& kind,
                                     const std::vector<std::string>& apart);

// Kinds of tasks in order: real ones ("real", "offline") first, then as the paper has them. Labels
// that begin with a kind stand with it.
std::size_t rank_of_tasks(const std::string& label);

}  // namespace gps
