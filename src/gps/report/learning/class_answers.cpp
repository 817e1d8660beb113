#include "gps/report/learning/class_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "gps/core/statistics.h"

namespace gps {
namespace {

// Returns "'dog' 3, 'fox' 1": the wrong answers for images of a class, the most frequent first.
std::string wrong_answers(const Confusion& confusion, Label label,
                          const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  const std::span<const std::size_t> counts = confusion.answers(label);
  std::vector<std::size_t> answers;
  for (std::size_t answer = 0; answer < counts.size(); ++answer) {
    if (answer != label && counts[answer] > 0) answers.push_back(answer);
  }
  std::stable_sort(answers.begin(), answers.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < std::min(kMost, answers.size()); ++k)
    parts.push_back(fmt::format("'{}' {}", names.at(answers[k]), counts[answers[k]]));
  if (answers.size() > kMost) parts.emplace_back("…");
  return join(parts);
}

// Returns the labels that have images, ascending.
std::vector<Label> tested_labels(const Confusion& confusion) {
  std::vector<Label> labels;
  for (std::size_t label = 0; label < confusion.labels(); ++label) {
    if (confusion.images(static_cast<Label>(label)) > 0)
      labels.push_back(static_cast<Label>(label));
  }
  return labels;
}

}  // namespace

Cell with_interval(double share, std::size_t examples) {
  const Interval range = wilson(share, examples);
  return Cell::within(100 * share, 1, {100 * range.low, 100 * range.high}, 0);
}

std::string per_class_text(const Confusion& confusion, const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::vector<Label> labels = tested_labels(confusion);
  const std::size_t all = labels.size();
  if (all > kMost) {
    std::stable_sort(labels.begin(), labels.end(), [&](Label a, Label b) {
      return confusion.accuracy(a) < confusion.accuracy(b);
    });
    labels.resize(kMost);
  }
  Table table = {"class", "images", "accuracy %", "answered instead"};
  for (const Label label : labels) {
    table.rows.push_back({names.at(label), Cell::count(confusion.images(label)),
                          with_interval(confusion.accuracy(label), confusion.images(label)),
                          wrong_answers(confusion, label, names)});
  }
  std::string text = text_table(table);
  if (all > kMost)
    text += fmt::format("the {} worst of {} classes; the JSON has all\n", kMost, all);
  return text;
}

nlohmann::json per_class_as_json(const Confusion& confusion,
                                 const std::vector<std::string>& names) {
  nlohmann::json all = nlohmann::json::array();
  for (const Label label : tested_labels(confusion)) {
    all.push_back({{"class", names.at(label)},
                   {"images", confusion.images(label)},
                   {"accuracy", confusion.accuracy(label)}});
  }
  return all;
}

nlohmann::json confusion_as_json(const Confusion& confusion,
                                 const std::vector<std::string>& names) {
  nlohmann::json all = nlohmann::json::object();
  for (const Label label : tested_labels(confusion)) {
    const std::span<const std::size_t> counts = confusion.answers(label);
    for (std::size_t answer = 0; answer < counts.size(); ++answer) {
      if (counts[answer] > 0) all[names.at(label)][names.at(answer)] = counts[answer];
    }
  }
  return all;
}

}  // namespace gps
