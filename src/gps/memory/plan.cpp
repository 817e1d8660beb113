#include "gps/memory/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gps/core/files/framed.h"

namespace gps {
namespace {

constexpr const char* kLettersOfKeys = "abcdefghijklmnopqrstuvwxyz_0123456789";

}  // namespace

void Plan::persist(Archive& archive) {
  for (const PlanKnob& knob : plan_knobs()) archive(this->*knob.value);
}

std::span<const PlanKnob> plan_knobs() {
  static constexpr std::array kKnobs = {
      PlanKnob{.key = "ring_size",
               .name = "ring",
               .title = "ring size",
               .meaning = "class-balanced",
               .value = &Plan::ring_size,
               .is_of_quota = true,
               .is_in_all_results = true},
  };
  return kKnobs;
}

std::optional<double> share_of(const PlanKnob& knob, const Plan& plan, std::size_t quota) {
  if (!knob.is_of_quota || quota == 0) return std::nullopt;
  return static_cast<double>(plan.*knob.value) / static_cast<double>(quota);
}

Plan within(Plan plan, std::size_t quota) {
  for (const PlanKnob& knob : plan_knobs()) {
    if (knob.is_of_quota) plan.*knob.value = std::min(plan.*knob.value, quota);
  }
  return plan;
}

std::string short_text(const Plan& plan) {
  std::string text;
  for (const PlanKnob& knob : plan_knobs())
    text.append(text.empty() ? "" : "/").append(std::to_string(plan.*knob.value));
  return text;
}

void put_plan(const Plan& plan, nlohmann::json& object) {
  for (const PlanKnob& knob : plan_knobs()) object[knob.key] = plan.*knob.value;
}

Plan plan_from_json(const nlohmann::json& object) {
  Plan plan;
  for (const PlanKnob& knob : plan_knobs()) {
    if (knob.is_in_all_results || object.contains(knob.key))
      object.at(knob.key).get_to(plan.*knob.value);
  }
  return plan;
}

PlanValues values_by_key(const Plan& plan) {
  PlanValues values;
  for (const PlanKnob& knob : plan_knobs()) values[knob.key] = plan.*knob.value;
  return values;
}

Plan plan_from(const PlanValues& values) {
  Plan plan;
  PlanValues unknown = values;
  for (const PlanKnob& knob : plan_knobs()) {
    const auto at = unknown.find(knob.key);
    if (at != unknown.end()) {
      plan.*knob.value = at->second;
      unknown.erase(at);
    } else if (knob.is_in_all_results) {
      throw DataError(fmt::format("saved state: a plan without '{}'", knob.key));
    }
  }
  if (!unknown.empty()) {
    const std::string& key = unknown.begin()->first;
    if (key.empty() || key.find_first_not_of(kLettersOfKeys) != std::string::npos)
      throw DataError("saved state: a plan with a key that no knob can have");
    throw NewerFormat(fmt::format(
        "was written by a newer gpscl (this gpscl does not know '{}'); use the newer gpscl", key));
  }
  return plan;
}

Plan PlanLine::at_share(double share) const {
  return at(static_cast<std::size_t>(std::llround(share * static_cast<double>(last))));
}

double PlanLine::share_of(const Plan& plan) const {
  return last == 0 ? 0 : static_cast<double>(position_of(plan)) / static_cast<double>(last);
}

PlanLine plans_up_to(std::size_t quota) {
  return {.last = quota,
          .at = [](std::size_t position) { return Plan{.ring_size = position}; },
          .position_of = [](const Plan& plan) { return plan.ring_size; }};
}

}  // namespace gps
