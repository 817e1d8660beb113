// Texts about a classifier that keeps learning: after a task, and on request.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gps/deployment/confusion.h"
#include "gps/deployment/learn.h"

namespace gps {

// Says what was learnt, what was forgotten, and what the memory now holds. REQUIRES: `state` is as
// learn() left it.
std::string learnt_text(const LearnReport& report, const LearnState& state);
nlohmann::json to_json(const LearnReport& report, const LearnState& state);

// Returns the bytes of all stored examples, for replay and for testing.
std::size_t bytes_in_memory(const LearnState& state);

// Returns "memory: 200 images = 160 for replay + 40 for testing (0.16 MB; limits: 160 + 40)", a
// line for each task with stored images, and one that names the classes without an image for
// replay.
std::string memory_text(const LearnState& state);

// What a state answers for its held-out images now.
struct StateTests {
  std::vector<TaskStanding> scores;  // test_tasks()
  Confusion answers;                 // confusion_of_tests()
};

// Says how the state was made, what it knows and how well.
std::string status_text(const LearnState& state, const StateTests& tests);

// Returns a line for each task.
std::string history_text(const LearnState& state);

// The same as JSON (docs/learn.md): one object, and an array with an object for each task.
// REQUIRES: at least one task was learnt.
nlohmann::json status_as_json(const LearnState& state, const StateTests& tests);
nlohmann::json history_as_json(const LearnState& state);

}  // namespace gps
