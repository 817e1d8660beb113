// Everything that is read from a store, for the fuzz targets of stores.
#pragma once

#include <nlohmann/json.hpp>

#include "experiments/tiny_run.h"
#include "fuzz/fuzz.h"
#include "gps/experiments/store/store.h"
#include "gps/report/analyses.h"

namespace gps::fuzz {

// Reads the runs and analyses. Records that cannot be read are refused one by one.
inline void read_store(Store& store) {
  constexpr double kNow = 1000;
  for (const StoredRun& run : store.find(RunFilter{}, /*with_results=*/true)) {
    Store::status_now(run, this_process(), kNow);
    is_readable([&] { result_from(run); });
  }
  for (const StoredAnalysis& analysis : store.analyses()) is_readable([&] { reported(analysis); });
  store.find(testing::tiny_spec("reservoir"), /*seed=*/0);
}

}  // namespace gps::fuzz
