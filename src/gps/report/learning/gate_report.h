// What gpscl learn says of the acceptance gate and of a candidate that was kept aside.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gps/deployment/acceptance/candidate.h"
#include "gps/deployment/acceptance/gate.h"

namespace gps {

// Returns a line for each limit that was judged; empty if there is none.
std::string gate_text(const GateVerdict& verdict);

// {"accuracy": {"limit", "value", "low", "high", "images", "met"}, "forgetting": the same}, with
// the limits that were judged.
nlohmann::json to_json(const GateVerdict& verdict);

// Returns a line that says what the candidate is, and why it was not kept.
std::string candidate_text(const CandidateNote& candidate);

// {"made_from", "learnt", "task", "problems"}
nlohmann::json to_json(const CandidateNote& candidate);

}  // namespace gps
