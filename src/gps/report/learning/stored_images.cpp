#include "gps/report/learning/stored_images.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "gps/core/text/printable.h"
#include "gps/deployment/stored/stored_images.h"
#include "gps/deployment/task_groups.h"
#include "gps/report/learning/task_words.h"

namespace gps {
namespace {

double megabytes(std::size_t bytes) { return static_cast<double>(bytes) / 1e6; }

// Returns the bytes of all stored examples, for replay and for testing.
std::size_t bytes_in_memory(const LearnState& state) {
  const std::size_t outputs = state.learner ? state.learner->classes() : 0;
  return state.memory.bytes(outputs) + state.tests.bytes(outputs);
}

// The stored images of one task, or of tasks that share: how many of each class are replayed, and
// how many are for testing.
struct HeldImages {
  std::map<Label, std::size_t> classes;
  std::size_t tests = 0;
};

// Keyed by first and last task; images for replay and for testing may be grouped differently.
std::map<std::pair<int, int>, HeldImages> held_images(const LearnState& state) {
  std::map<std::pair<int, int>, HeldImages> parts;
  for (const TaskGroup& group : replayed_groups(state)) {
    for (const Example& example : state.memory.examples()) {
      if (example.task == group.first) ++parts[{group.first, group.last}].classes[example.label];
    }
  }
  for (const TaskGroup& group : tested_groups(state))
    parts[{group.first, group.last}].tests = state.tests.count(group.first);
  return parts;
}

}  // namespace

std::vector<std::string> missed_classes(const LearnState& state) {
  if (!replays(state.options.method.learner.name)) return {};
  return classes_without_images(state);
}

std::string missed_classes_text(const std::vector<std::string>& classes) {
  std::vector<std::string> quoted;
  for (const std::string& name : classes) quoted.push_back(fmt::format("'{}'", printable(name)));
  return fmt::format("no image for replay of {}: {}", classes_text(classes.size()), join(quoted));
}

std::string memory_text(const LearnState& state) {
  const std::map<std::pair<int, int>, HeldImages> parts = held_images(state);
  const std::size_t replay = state.memory.size();
  const std::size_t test = state.tests.size();
  const std::uint64_t budget = state.options.memory_bytes;
  std::string text =
      fmt::format("memory: {} = {} for replay + {} for testing ({:.2f} MB{}; limits: {} + {})\n",
                  images_text(replay + test), replay, test, megabytes(bytes_in_memory(state)),
                  budget == 0 ? "" : " of " + text_of(ByteCount{budget}), state.memory.capacity(),
                  state.tests.capacity());
  for (const auto& [tasks, part] : parts) {
    std::vector<std::string> held;
    for (const auto& [label, count] : part.classes)
      held.push_back(fmt::format("{} of '{}'", count, printable(state.classes.at(label))));
    std::vector<std::string> both;
    if (!held.empty()) both.push_back(join(held));
    if (part.tests > 0) both.push_back(fmt::format("{} for testing", part.tests));
    text +=
        fmt::format("  {}: {}\n", task_title(state, tasks.first, tasks.second), join(both, "; "));
  }
  const std::vector<std::string> missed = missed_classes(state);
  return missed.empty() ? text : text + "  " + missed_classes_text(missed) + "\n";
}

nlohmann::json stored_as_json(const LearnState& state) {
  nlohmann::json stored = {{"replay", state.memory.size()},
                           {"test", state.tests.size()},
                           {"bytes", bytes_in_memory(state)}};
  if (state.options.memory_bytes > 0) {
    stored["budget_bytes"] = state.options.memory_bytes;
  } else {
    stored["budget"] = state.options.memory;
  }
  return stored;
}

nlohmann::json memory_as_json(const LearnState& state) {
  nlohmann::json tasks = nlohmann::json::array();
  for (const auto& [range, part] : held_images(state)) {
    nlohmann::json replay = nlohmann::json::object();
    for (const auto& [label, count] : part.classes) replay[state.classes.at(label)] = count;
    tasks.push_back({{"task", range.first},
                     {"last_task", range.second},
                     {"name", state.tasks.at(static_cast<std::size_t>(range.first) - 1).name},
                     {"replay", replay},
                     {"test", part.tests}});
  }
  nlohmann::json stored = stored_as_json(state);
  stored["tasks"] = std::move(tasks);
  stored["classes_without_images"] = missed_classes(state);
  return stored;
}

}  // namespace gps
