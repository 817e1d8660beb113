// The images that a state stores, for replay and for testing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/deployment/learn_state.h"

namespace gps {

// Returns "memory: 200 images = 160 for replay + 40 for testing (0.16 MB; limits: 160 + 40)", a
// line for each task with stored images, and one that names the classes without an image for
// replay.
std::string memory_text(const LearnState& state);

// Returns the classes of which no image is replayed, although the learner replays.
std::vector<std::string> missed_classes(const LearnState& state);
// Returns "no image for replay of 1 class: 'cat'". REQUIRES: there are such classes.
std::string missed_classes_text(const std::vector<std::string>& classes);

// Returns how much is stored, and the budget: a number of images, or of bytes.
nlohmann::json stored_as_json(const LearnState& state);
// The same, with the images of each task and the classes without an image for replay.
nlohmann::json memory_as_json(const LearnState& state);

}  // namespace gps
