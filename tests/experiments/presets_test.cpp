// What the presets say, against the tables they were taken from.
#include "gps/experiments/presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gps {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Spec with(const std::string& learner, int memory = 1000, const std::string& preset = "paper") {
  Spec spec;
  spec.learner.name = learner;
  spec.memory = memory;
  apply_preset(spec, preset);
  return spec;
}

std::string refusal(Spec spec, const std::string& preset) {
  try {
    apply_preset(spec, preset);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Presets, ThePapersAreThoseOfAppendixF) {
  for (const std::string& learner : names(learner_catalog())) {
    const Spec spec = with(learner);
    EXPECT_FLOAT_EQ(spec.learner.learning_rate, learner == "ogd" ? 0.001f : 0.1f);
    EXPECT_EQ(spec.training.epochs, 5);
    EXPECT_EQ(spec.training.batch, 10);
    EXPECT_NO_THROW(validate(spec.learner));
  }
  EXPECT_FLOAT_EQ(with("der").learner.alpha, 0.5f);
  EXPECT_FLOAT_EQ(with("der++").learner.alpha, 1);
  EXPECT_FLOAT_EQ(with("der++").learner.beta, 0.5f);
  EXPECT_FLOAT_EQ(with("hal").learner.hal_lambda, 0.1f);
  EXPECT_FLOAT_EQ(with("hal").learner.hal_beta, 0.5f);
  EXPECT_FLOAT_EQ(with("hal").learner.hal_gamma, 0.1f);
  EXPECT_FLOAT_EQ(with("oewc").learner.ewc_lambda, 0.7f);
  EXPECT_FLOAT_EQ(with("oewc").learner.ewc_gamma, 1);
  EXPECT_EQ(with("ogd").learner.directions, 100);
  EXPECT_EQ(with("er").in_task, InTask::strict);
  EXPECT_EQ(with("der").in_task, InTask::strict);
  EXPECT_EQ(with("der++").in_task, InTask::running);
}

TEST(Presets, MammothsDependOnTheNearestMemory) {
  EXPECT_FLOAT_EQ(with("der++", 200, "mammoth").learner.learning_rate, 0.1f);
  EXPECT_FLOAT_EQ(with("der++", 200, "mammoth").learner.beta, 1);
  EXPECT_FLOAT_EQ(with("der++", 1000, "mammoth").learner.learning_rate, 0.2f);  // as for 500
  EXPECT_FLOAT_EQ(with("der++", 1000, "mammoth").learner.beta, 0.5f);
  EXPECT_FLOAT_EQ(with("der", 5120, "mammoth").learner.alpha, 0.5f);
  EXPECT_FLOAT_EQ(with("gss", 5120, "mammoth").learner.learning_rate, 0.03f);
  EXPECT_EQ(with("gss", 200, "mammoth").gss_batch, 128);
  EXPECT_EQ(with("gss", 500, "mammoth").gss_batch, 10);
  EXPECT_FLOAT_EQ(with("hal", 500, "mammoth").learner.hal_beta, 0.3f);
  EXPECT_EQ(with("hal", 500, "mammoth").learner.hal_variant, HalVariant::mammoth);
  EXPECT_FLOAT_EQ(with("oewc", 500, "mammoth").learner.ewc_lambda, 0.7f);
  EXPECT_FLOAT_EQ(with("agem", 500, "mammoth").learner.learning_rate, 0.1f);
  EXPECT_EQ(preset_policy("mammoth", "agem"), "one-batch");
  EXPECT_EQ(preset_policy("paper", "agem"), "ring-full");
  const Spec er = with("er", 1000, "mammoth");
  EXPECT_EQ(er.benchmark.tasks, 20);
  EXPECT_EQ(er.training.batch, 128);
  EXPECT_EQ(er.training.epochs, 1);
  EXPECT_EQ(er.learner.memory_batch, 128);
  EXPECT_EQ(er.learner.er_loss, ErLoss::concat);
  EXPECT_FLOAT_EQ(er.learner.learning_rate, 0.2f);
}

TEST(Presets, RefuseWhatTheySayNothingOf) {
  EXPECT_THAT(refusal({}, "nobody"), AllOf(HasSubstr("nobody"), HasSubstr("paper, mammoth")));
  Spec split;
  split.benchmark.name = "s-mnist";
  EXPECT_THAT(refusal(split, "mammoth"), AllOf(HasSubstr("s-mnist"), HasSubstr("permuted")));
  Spec ogd;
  ogd.learner.name = "ogd";
  EXPECT_THAT(refusal(ogd, "mammoth"), AllOf(HasSubstr("ogd"), HasSubstr("der++")));
}

}  // namespace
}  // namespace gps
