// What a classifier answered for images of each class: accuracies, and what was answered instead.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/deployment/confusion.h"
#include "gps/report/tables/table.h"

namespace gps {

// Returns an accuracy in percent with its Wilson interval.
Cell with_interval(double share, std::size_t examples);

// Returns a table with a line for each class that has images: their number, accuracy, and what was
// answered instead; `names` by label. If there are many classes, only the worst.
std::string per_class_text(const Confusion& confusion, const std::vector<std::string>& names);
// [{"class", "images", "accuracy"}, …], and {class: {answer: images, …}, …} without zeros.
nlohmann::json per_class_as_json(const Confusion& confusion, const std::vector<std::string>& names);
nlohmann::json confusion_as_json(const Confusion& confusion, const std::vector<std::string>& names);

}  // namespace gps
