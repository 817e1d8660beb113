// A plan: the decision about the memory of a task. A simulation tries plans, and a search compares
// them. Trials and decisions are identified by their plan.
//
// A plan consists of knobs, each of which is a whole number. The table of knobs describes them for
// results, TensorBoard, reports and texts, so that these show all knobs of a plan. To add a knob:
// add a member and its line in persist() here, its row in plan.cpp, and the code that acts on it.
// Saved states of deployed classifiers that are older than the knob do not contain it: see
// deployment/learn_state.h.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "gps/core/files/archive.h"

namespace gps {

struct Plan {
  std::size_t ring_size = 0;  // a_j: size of the class-balanced part of a task's share

  auto operator<=>(const Plan&) const = default;
  void persist(Archive& archive) { archive(ring_size); }
};

struct PlanKnob {
  const char* key;      // in results and machine-readable tables: "ring_size"
  const char* name;     // short name: "ring"
  const char* title;    // for people who know the paper: "ring size"
  const char* meaning;  // for people who do not: "class-balanced"
  std::size_t Plan::*value;
  bool is_of_quota;        // whether it is a part of the task's quota; its share is then shown
  bool is_in_all_results;  // if false, older results lack it and mean its default
};

// All knobs, in the order of Plan's members.
std::span<const PlanKnob> plan_knobs();

// Returns the knob's share of the quota, in [0, 1]; empty if the knob is not a part of the quota,
// or if the quota is 0.
std::optional<double> share_of(const PlanKnob& knob, const Plan& plan, std::size_t quota);

// Returns the plan with each part of the quota limited to the whole quota.
Plan within(Plan plan, std::size_t quota);

// Returns the values, separated by slashes: "12".
std::string short_text(const Plan& plan);

// Adds one member for each knob to a JSON object, and reads them back. Reading throws nlohmann's
// exceptions if a knob is missing that every result has.
void put_plan(const Plan& plan, nlohmann::json& object);
Plan plan_from_json(const nlohmann::json& object);

// Candidate plans at positions 0, …, last. Neighbours are similar.
struct PlanLine {
  std::size_t last = 0;
  std::function<Plan(std::size_t position)> at;
};

// Returns the plans with ring sizes from 0 to the whole quota.
PlanLine ring_sizes_up_to(std::size_t quota);

}  // namespace gps
