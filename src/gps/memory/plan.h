// A plan: the decision about the memory of a task. A simulation tries plans, and a search compares
// them. Trials and decisions are identified by their plan.
//
// A plan is made of knobs, whole numbers each. The table of knobs says everything about them that
// results, TensorBoard, reports and texts need, so that these show whatever a plan has. To add a
// knob: add a member and its line in persist() here, its row in plan.cpp, and the code that acts on
// it. States of deployed classifiers that are older than the knob do not have it: see
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
  std::size_t ring_size = 0;  // a_j: the class-balanced part of a task's share

  auto operator<=>(const Plan&) const = default;
  void persist(Archive& archive) { archive(ring_size); }
};

struct PlanKnob {
  const char* key;      // in results and tables for programs: "ring_size"
  const char* name;     // in short: "ring"
  const char* title;    // for people who know the paper: "ring size"
  const char* meaning;  // for those who do not: "class-balanced"
  std::size_t Plan::*value;
  bool is_of_quota;        // is it a part of the task's quota, and its share of that worth showing?
  bool is_in_all_results;  // otherwise older ones do not have it, and mean its default
};

// In the order of the members.
std::span<const PlanKnob> plan_knobs();

// What part of the quota it is, in [0, 1]; nothing where it is none of the quota, or that is 0.
std::optional<double> share_of(const PlanKnob& knob, const Plan& plan, std::size_t quota);

// The plan with nothing in it that is more than the whole quota.
Plan within(Plan plan, std::size_t quota);

// Its values, with slashes between them: "12".
std::string short_text(const Plan& plan);

// Puts one member a knob into an object, and reads them. Throws nlohmann's exceptions for an object
// without a knob that every result has.
void put_plan(const Plan& plan, nlohmann::json& object);
Plan plan_from_json(const nlohmann::json& object);

// Candidates in a row, at positions 0, …, last. Neighbours are alike.
struct PlanLine {
  std::size_t last = 0;
  std::function<Plan(std::size_t position)> at;
};

// Every ring size from 0 to the whole quota.
PlanLine ring_sizes_up_to(std::size_t quota);

}  // namespace gps
