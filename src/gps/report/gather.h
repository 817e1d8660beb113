// Reads a report from a store: the runs and analyses that match a filter, the command that repeats
// each run, and images of exported memories.
#pragma once

#include <functional>
#include <string>

#include "gps/report/report.h"

namespace gps {

struct GatherOptions {
  std::string benchmark;  // only runs and analyses of this benchmark; empty: all
  std::string learner;
  std::string policy;  // a name or a label
  // Most bytes for images of the memories, one run of each kind first; 0: none.
  double room_for_images = 2e6;
};

// Gets a line about each run, analysis and memory that is left out because it cannot be read.
using TellLine = std::function<void(const std::string&)>;

// Throws DataError if nothing in the store matches, or if nothing of it can be read. The message
// names what the store has.
Report gather_report(Store& store, const GatherOptions& options, const TellLine& tell);

}  // namespace gps
