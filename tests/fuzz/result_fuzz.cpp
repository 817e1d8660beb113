// Results as JSON: what was read is the same when it is written and read again, and everything that
// shows results can show it.
#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "gps/experiments/result.h"
#include "gps/report/page/page.h"
#include "gps/report/page/page_details.h"
#include "gps/report/picture.h"

namespace gps::fuzz {
namespace {

void show(const RunResult& result) {
  switching_points_picture(result);
  composition_picture(result);
  ReportedRun run;
  run.run.id = 1;
  run.run.status = RunStatus::done;
  run.run.spec = to_json(result.spec).dump();
  run.run.hash = spec_hash(result.spec);
  run.run.seed = result.seed;
  run.result = result;
  Report report;
  report.runs.push_back(run);
  run.run.id = 2;  // two seeds, so that there are means
  run.run.seed = run.result->seed = result.seed + 1;
  report.runs.push_back(run);
  overview_json(report).dump();
  packed_details(report, settings_of(report), kRoomForDetails);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = nlohmann::json::parse(text_of(data, size), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return 0;
  RunResult result;
  if (!is_readable([&] { result = result_from_json(json); })) return 0;
  const std::string written = to_json(result).dump();
  require(to_json(result_from_json(nlohmann::json::parse(written))).dump() == written,
          "a result is read as it was written");
  is_accepted([&] { show(result); });
  return 0;
}

}  // namespace gps::fuzz
