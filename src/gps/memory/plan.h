// A plan: the decision about the memory of a task. A simulation tries plans, and a search compares
// them. Trials and decisions are identified by their plan.
//
// A plan consists of knobs, each of which is a whole number. The table of knobs describes them for
// results, TensorBoard, reports, texts and saved states, so that these have all knobs of a plan. To
// add a knob: add a member here, its row in plan.cpp with `is_in_all_results` false, and the code
// that acts on it. Results and states that are older than the knob mean its default.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "gps/core/files/archive.h"

namespace gps {

struct Plan {
  std::size_t ring_size = 0;  // a_j: size of the class-balanced part of a task's share

  auto operator<=>(const Plan&) const = default;
  // The values, in the order of the knobs: for checkpoints, which only the same build reads.
  void persist(Archive& archive);
};

struct PlanKnob {
  const char* key;      // in results and machine-readable tables: "ring_size"
  const char* name;     // short name: "ring"
  const char* title;    // for people who know the paper: "ring size"
  const char* meaning;  // for people who do not: "class-balanced"
  std::size_t Plan::*value;
  bool is_of_quota;        // whether it is a part of the task's quota; its share is then shown
  bool is_in_all_results;  // if false, older results and states lack it and mean its default
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

// The values by the keys of their knobs, for states that programs with more knobs read too. Reading
// throws DataError if a knob is missing that every state has, and NewerFormat (core/files/framed.h)
// for a key that is not in the table.
using PlanValues = std::map<std::string, std::uint64_t>;
PlanValues values_by_key(const Plan& plan);
Plan plan_from(const PlanValues& values);

// Candidate plans at positions 0, …, last. Neighbours are similar.
struct PlanLine {
  std::size_t last = 0;
  std::function<Plan(std::size_t position)> at;
  std::function<std::size_t(const Plan& plan)> position_of{};  // of plans on the line

  // Returns the plan that is nearest to this share of the line. REQUIRES: share is in [0, 1].
  Plan at_share(double share) const;
  // Returns where the plan is on the line, in [0, 1]; 0 if the line has one plan only. REQUIRES:
  // position_of is set, and the plan is on the line.
  double share_of(const Plan& plan) const;
};

// Returns the line of plans for a task with this quota: ring sizes from 0 to the whole quota.
PlanLine plans_up_to(std::size_t quota);

}  // namespace gps
