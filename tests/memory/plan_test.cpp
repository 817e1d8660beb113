#include "gps/memory/plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "gps/core/files/framed.h"

namespace gps {
namespace plan_test {

// A plan with another value for each knob.
Plan numbered(std::size_t first) {
  Plan plan;
  for (const PlanKnob& knob : plan_knobs()) plan.*knob.value = first++;
  return plan;
}

TEST(PlanKnobs, AreOneForEachNumberOfAPlan) {
  std::set<std::string> keys;
  std::set<std::string> names;
  for (const PlanKnob& knob : plan_knobs()) {
    keys.insert(knob.key);
    names.insert(knob.name);
  }
  EXPECT_EQ(sizeof(Plan), plan_knobs().size() * sizeof(std::size_t));
  EXPECT_EQ(keys.size(), plan_knobs().size());
  EXPECT_EQ(names.size(), plan_knobs().size());
}

TEST(Plan, IsTheSameInAllItsKnobsOrAnother) {
  EXPECT_EQ(numbered(3), numbered(3));
  for (const PlanKnob& knob : plan_knobs()) {
    Plan other = numbered(3);
    ++(other.*knob.value);
    EXPECT_NE(other, numbered(3)) << knob.key;
    EXPECT_LT(numbered(3), other) << knob.key;
  }
}

TEST(Plan, SurvivesAnArchive) {
  Plan plan = numbered(7);
  Archive written;
  written(plan);
  Archive archive(written.bytes());
  Plan read;
  archive(read);
  archive.finish();
  EXPECT_EQ(read, plan);
}

TEST(Plan, SurvivesJsonBesideOtherMembers) {
  nlohmann::json object = {{"task", 2}};
  put_plan(numbered(7), object);
  EXPECT_EQ(object.size(), 1 + plan_knobs().size());
  EXPECT_EQ(object.at("ring_size"), 7);
  EXPECT_EQ(plan_from_json(object), numbered(7));
}

TEST(Plan, OfAnOlderResultHasTheDefaultsOfNewerKnobs) {
  for (const PlanKnob& knob : plan_knobs()) {
    nlohmann::json object;
    put_plan(numbered(7), object);
    object.erase(knob.key);
    if (knob.is_in_all_results) {
      EXPECT_THROW(plan_from_json(object), nlohmann::json::exception) << knob.key;
    } else {
      EXPECT_EQ(plan_from_json(object).*knob.value, Plan().*knob.value) << knob.key;
    }
  }
}

TEST(Plan, SurvivesAsValuesByKey) {
  const PlanValues values = values_by_key(numbered(7));
  EXPECT_EQ(values.size(), plan_knobs().size());
  EXPECT_EQ(values.at("ring_size"), 7u);
  EXPECT_EQ(plan_from(values), numbered(7));
}

TEST(Plan, OfAnOlderStateHasTheDefaultsOfNewerKnobs) {
  for (const PlanKnob& knob : plan_knobs()) {
    PlanValues values = values_by_key(numbered(7));
    values.erase(knob.key);
    if (knob.is_in_all_results) {
      EXPECT_THROW(plan_from(values), DataError) << knob.key;
    } else {
      EXPECT_EQ(plan_from(values).*knob.value, Plan().*knob.value) << knob.key;
    }
  }
}

TEST(Plan, OfANewerProgramIsRefused) {
  PlanValues values = values_by_key(numbered(7));
  values["unknown_knob"] = 1;
  try {
    plan_from(values);
    FAIL();
  } catch (const NewerFormat& error) {
    EXPECT_STREQ(error.what(),
                 "was written by a newer gpscl (this gpscl does not know 'unknown_knob'); use the "
                 "newer gpscl");
  }
}

TEST(Plan, WithSomethingThatCannotBeAKnobIsDamaged) {
  for (const std::string& key : {std::string(), std::string("a\nb"), std::string(3, '\0')}) {
    PlanValues values = values_by_key(numbered(7));
    values[key] = 1;
    try {
      plan_from(values);
      FAIL();
    } catch (const NewerFormat&) {
      FAIL() << "nothing newer has such a key";
    } catch (const DataError&) {
    }
  }
}

TEST(Plan, IsCutToTheQuotaWhereItIsAPartOfIt) {
  const Plan cut = within(numbered(20), 12);
  for (const PlanKnob& knob : plan_knobs()) {
    EXPECT_EQ(cut.*knob.value, knob.is_of_quota ? 12 : numbered(20).*knob.value) << knob.key;
  }
  EXPECT_EQ(within({.ring_size = 5}, 12).ring_size, 5u);
}

TEST(Plan, HasAShareOfTheQuota) {
  const PlanKnob& ring = plan_knobs().front();
  EXPECT_EQ(share_of(ring, {.ring_size = 6}, 24), 0.25);
  EXPECT_EQ(share_of(ring, {.ring_size = 0}, 0), std::nullopt);
}

TEST(PlanLine, RunsFromNothingToTheWholeQuota) {
  const PlanLine line = plans_up_to(12);
  EXPECT_EQ(line.last, 12u);
  EXPECT_EQ(line.at(0).ring_size, 0u);
  EXPECT_EQ(line.at(line.last).ring_size, 12u);
}

TEST(PlanLine, HasAPlanForEachShareAndAShareForEachPlan) {
  const PlanLine line = plans_up_to(8);
  EXPECT_EQ(line.at_share(0.3).ring_size, 2u);  // 2.4
  EXPECT_EQ(line.at_share(1), line.at(8));
  EXPECT_EQ(line.share_of({.ring_size = 2}), 0.25);
  EXPECT_EQ(plans_up_to(0).share_of({}), 0);
}

}  // namespace plan_test
}  // namespace gps
