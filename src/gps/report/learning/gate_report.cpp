#include "gps/report/learning/gate_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gps/core/text/printable.h"
#include "gps/core/text/text.h"

namespace gps {
namespace {

nlohmann::json judged_as_json(const JudgedLimit& judged) {
  return {{"limit", judged.limit},        {"value", judged.value},   {"low", judged.interval.low},
          {"high", judged.interval.high}, {"images", judged.images}, {"met", judged.is_met}};
}

}  // namespace

std::string gate_text(const GateVerdict& verdict) {
  std::string text;
  if (verdict.accuracy) {
    const JudgedLimit& judged = *verdict.accuracy;
    text += fmt::format(
        "gate: accuracy {:.1f} % [{:.1f}, {:.1f}] on {} test images, of at least "
        "{:.1f} %\n",
        100 * judged.value, 100 * judged.interval.low, 100 * judged.interval.high, judged.images,
        100 * judged.limit);
  }
  if (verdict.forgetting) {
    const JudgedLimit& judged = *verdict.forgetting;
    text += fmt::format(
        "gate: forgotten {:.1f} points [{:.1f}, {:.1f}] on {} test images of "
        "earlier tasks, of at most {:.1f}\n",
        100 * judged.value, 100 * judged.interval.low, 100 * judged.interval.high, judged.images,
        100 * judged.limit);
  }
  return text;
}

nlohmann::json to_json(const GateVerdict& verdict) {
  nlohmann::json json = nlohmann::json::object();
  if (verdict.accuracy) json["accuracy"] = judged_as_json(*verdict.accuracy);
  if (verdict.forgetting) json["forgetting"] = judged_as_json(*verdict.forgetting);
  return json;
}

std::string candidate_text(const CandidateNote& candidate) {
  return fmt::format("candidate: '{}', learnt {:%Y-%m-%d %H:%M} UTC, not kept: {}",
                     printable(candidate.task),
                     fmt::gmtime(static_cast<std::time_t>(candidate.when)),
                     printable(join(candidate.problems, "; ")));
}

nlohmann::json to_json(const CandidateNote& candidate) {
  return {{"made_from", candidate.made_from},
          {"learnt", candidate.when},
          {"task", candidate.task},
          {"problems", candidate.problems}};
}

}  // namespace gps
