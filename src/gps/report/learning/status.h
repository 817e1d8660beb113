// What gpscl learn says of a state: --status.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/deployment/confusion.h"
#include "gps/deployment/learn.h"

namespace gps {

// What a state answers for its held-out images now.
struct StateTests {
  std::vector<TaskStanding> scores;  // test_tasks()
  Confusion answers;                 // confusion_of_tests()
};

// Says how the state was made, what it knows and how well.
std::string status_text(const LearnState& state, const StateTests& tests);
// The same as JSON (docs/learn.md). REQUIRES: at least one task was learnt.
nlohmann::json status_as_json(const LearnState& state, const StateTests& tests);

}  // namespace gps
