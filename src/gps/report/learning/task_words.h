// Numbers, tasks and means of a state in words, as the texts of this folder have them.
#pragma once

#include <string>
#include <vector>

#include "gps/deployment/learn.h"

namespace gps {

// Returns for example "1 image" or "3 images".
std::string count_of(std::size_t count, const char* what, const char* many);
std::string images_text(std::size_t count);
std::string classes_text(std::size_t count);

// Returns for example "76.3" for 0.763.
std::string percent_text(double share);

// Returns for example "2 week2".
std::string task_name(const LearnState& state, int task);
// Returns for example "task 2 week2", or "tasks 1 to 4" if they share their images.
std::string task_title(const LearnState& state, int first, int last);

// Returns the mean over all tested images.
TaskStanding over_all(const std::vector<TaskStanding>& scores);

}  // namespace gps
