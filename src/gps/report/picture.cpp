#include "gps/report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "gps/core/text/printable.h"
#include "gps/core/text/text.h"

namespace gps {
namespace {

constexpr std::size_t kBarWidth = 24;

std::size_t scaled(std::size_t value, std::size_t whole, std::size_t width) {
  if (whole == 0) return 0;
  const double share = static_cast<double>(value) / static_cast<double>(whole);
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(width)));
}

// Returns "########........": both parts of `whole` slots.
std::string bar(std::size_t ring, std::size_t reservoir, std::size_t whole) {
  const std::size_t end = scaled(ring + reservoir, whole, kBarWidth);
  const std::size_t hashes = std::min(end, scaled(ring, whole, kBarWidth));
  return std::string(hashes, '#') + std::string(end - hashes, '.') +
         std::string(kBarWidth - end, ' ');
}

// Returns one small column per class; "_" for a class without examples. REQUIRES: at least one
// class.
std::string columns(const std::vector<std::size_t>& counts) {
  constexpr std::array<const char*, 8> kLevels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t most = *std::max_element(counts.begin(), counts.end());
  std::string text;
  for (const std::size_t count : counts) {
    text += count == 0 ? "_" : kLevels[(count * (kLevels.size() - 1) + most / 2) / most];
  }
  return text;
}

bool has_class(const RunResult& result, int task, std::size_t label) {
  if (result.labels.empty()) return true;
  const std::vector<Label>& own = result.labels[static_cast<std::size_t>(task) - 1];
  return std::find(own.begin(), own.end(), label) != own.end();
}

// Returns "  week1", or the classes of the task, if the user has named them.
std::string name_of_task(const RunResult& result, int task) {
  const auto at = static_cast<std::size_t>(task) - 1;
  if (!result.task_names.empty()) return "  " + printable(result.task_names[at]);
  if (result.class_names.empty() || result.labels.empty()) return "";
  std::vector<std::string> names;
  for (const Label label : result.labels[at]) names.push_back(result.class_names[label]);
  constexpr std::size_t kMostNames = 4;
  const bool has_more = names.size() > kMostNames;
  if (has_more) names.resize(kMostNames);
  return "  " + printable(join(names)) + (has_more ? ", …" : "");
}

std::size_t sum(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

// Returns "classes ▂_██  0 to 7 each".
std::string classes_text(const std::vector<std::size_t>& counts) {
  if (counts.empty()) return "no classes";
  const auto [fewest, most] = std::minmax_element(counts.begin(), counts.end());
  return fmt::format("classes {}  {} to {} each", columns(counts), *fewest, *most);
}

}  // namespace

std::string switching_points_picture(const RunResult& result) {
  std::string text;
  for (const Decision& decision : result.decisions) {
    text += fmt::format("  task {:>2}", decision.task);
    for (const PlanKnob& knob : plan_knobs()) {
      const std::size_t value = decision.plan.*knob.value;
      text += knob.is_of_quota
                  ? fmt::format("  |{}|  {} {:>4} of {:>4} ({:>3} %)",
                                bar(value, decision.quota - value, decision.quota), knob.name,
                                value, decision.quota, scaled(value, decision.quota, 100))
                  : fmt::format("  {} {:>4}", knob.name, value);
    }
    std::vector<Trial> trials = decision.trials;
    std::sort(trials.begin(), trials.end(),
              [](const Trial& a, const Trial& b) { return a.plan < b.plan; });
    if (!trials.empty()) text += "  tried";
    for (const Trial& trial : trials)
      text += fmt::format(" {}:{:.1f}", short_text(trial.plan), 100 * trial.outcome.accuracy);
    text += name_of_task(result, decision.task) + "\n";
  }
  return text;
}

std::string composition_picture(const RunResult& result) {
  if (result.memory.empty()) return "";
  const Composition& last = result.memory.back();
  std::size_t most = 0;
  for (const TaskShare& share : last) most = std::max(most, sum(share.ring) + sum(share.reservoir));
  std::string text;
  for (const TaskShare& share : last) {
    std::vector<std::size_t> by_class;
    for (std::size_t c = 0; c < share.ring.size(); ++c) {
      if (has_class(result, share.task, c)) by_class.push_back(share.ring[c] + share.reservoir[c]);
    }
    text += fmt::format("  task {:>2}  |{}|  {:>4} examples   {}{}\n", share.task,
                        bar(sum(share.ring), sum(share.reservoir), most), sum(by_class),
                        classes_text(by_class), name_of_task(result, share.task));
  }
  return text;
}

std::string missing_classes_text(const RunResult& result) {
  if (result.memory.empty()) return "";
  std::map<std::size_t, std::size_t> stored;  // of all tasks, by class
  for (const TaskShare& share : result.memory.back()) {
    for (std::size_t c = 0; c < share.ring.size(); ++c) {
      if (has_class(result, share.task, c)) stored[c] += share.ring[c] + share.reservoir[c];
    }
  }
  std::vector<std::string> missing;
  for (const auto& [c, count] : stored) {
    if (count > 0) continue;
    const bool has_name = c < result.class_names.size();
    missing.push_back(has_name ? printable(result.class_names[c]) : std::to_string(c));
  }
  if (missing.empty()) return "";
  return fmt::format("no stored image of {} of {} classes: {}", missing.size(), stored.size(),
                     join(missing));
}

}  // namespace gps
