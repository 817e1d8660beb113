// What the presets say, against the tables they were taken from.
#include "gps/experiments/spec/presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gps/experiments/spec/spec_options.h"

namespace gps {
namespace presets_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

Spec with(const std::string& learner, int memory = 1000, const std::string& preset = "paper") {
  Spec spec;
  spec.learner.name = learner;
  spec.memory = memory;
  apply_preset(spec, preset);
  return spec;
}

// What the spec says of an option, as results do.
std::string text(const Spec& spec, const std::string& key) {
  return text_of(spec_option(key).get(spec));
}
double real(const Spec& spec, const std::string& key) {
  return std::get<double>(spec_option(key).get(spec));
}
// Whatever the policy is.
std::string in_task(const Spec& spec) { return text_of(setting_of(spec.policy, "in_task")); }
int gss_batch(const Spec& spec) { return std::get<int>(setting_of(spec.policy, "gss_batch")); }

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
  EXPECT_DOUBLE_EQ(real(with("der"), "alpha"), 0.5);
  EXPECT_DOUBLE_EQ(real(with("der++"), "alpha"), 1);
  EXPECT_DOUBLE_EQ(real(with("der++"), "beta"), 0.5);
  EXPECT_DOUBLE_EQ(real(with("hal"), "hal_lambda"), 0.1);
  EXPECT_DOUBLE_EQ(real(with("hal"), "hal_beta"), 0.5);
  EXPECT_DOUBLE_EQ(real(with("hal"), "hal_gamma"), 0.1);
  EXPECT_DOUBLE_EQ(real(with("oewc"), "ewc_lambda"), 0.7);
  EXPECT_DOUBLE_EQ(real(with("oewc"), "ewc_gamma"), 1);
  EXPECT_EQ(text(with("ogd"), "directions"), "100");
  EXPECT_EQ(in_task(with("er")), "strict");
  EXPECT_EQ(in_task(with("der")), "strict");
  EXPECT_EQ(in_task(with("der++")), "running");
}

TEST(Presets, MammothsDependOnTheNearestMemory) {
  EXPECT_FLOAT_EQ(with("der++", 200, "mammoth").learner.learning_rate, 0.1f);
  EXPECT_DOUBLE_EQ(real(with("der++", 200, "mammoth"), "beta"), 1);
  EXPECT_FLOAT_EQ(with("der++", 1000, "mammoth").learner.learning_rate, 0.2f);  // as for 500
  EXPECT_DOUBLE_EQ(real(with("der++", 1000, "mammoth"), "beta"), 0.5);
  EXPECT_DOUBLE_EQ(real(with("der", 5120, "mammoth"), "alpha"), 0.5);
  EXPECT_FLOAT_EQ(with("gss", 5120, "mammoth").learner.learning_rate, 0.03f);
  EXPECT_EQ(gss_batch(with("gss", 200, "mammoth")), 128);
  EXPECT_EQ(gss_batch(with("gss", 500, "mammoth")), 10);
  EXPECT_DOUBLE_EQ(real(with("hal", 500, "mammoth"), "hal_beta"), 0.3);
  EXPECT_EQ(text(with("hal", 500, "mammoth"), "hal_variant"), "mammoth");
  EXPECT_DOUBLE_EQ(real(with("oewc", 500, "mammoth"), "ewc_lambda"), 0.7);
  EXPECT_FLOAT_EQ(with("agem", 500, "mammoth").learner.learning_rate, 0.1f);
  EXPECT_EQ(preset_policy("mammoth", "agem"), "one-batch");
  EXPECT_EQ(preset_policy("paper", "agem"), "ring-full");
  const Spec er = with("er", 1000, "mammoth");
  EXPECT_EQ(er.benchmark.tasks, 20);
  EXPECT_EQ(er.training.batch, 128);
  EXPECT_EQ(er.training.epochs, 1);
  EXPECT_EQ(er.learner.memory_batch, 128);
  EXPECT_EQ(text(er, "er_loss"), "concat");
  EXPECT_FLOAT_EQ(er.learner.learning_rate, 0.2f);
}

Spec on(const std::string& benchmark, const std::string& learner,
        const std::string& preset = "paper", int memory = 200) {
  Spec spec;
  spec.benchmark.name = benchmark;
  spec.benchmark.tasks = default_tasks(benchmark);
  spec.learner.name = learner;
  spec.memory = memory;
  apply_preset(spec, preset);
  return spec;
}

TEST(Presets, ThePapersHaveValuesForEachBenchmark) {
  struct Row {
    std::string benchmark;
    int epochs;
    int batch;
    int memory;
    int pseudo_epochs;
    double der;
    double derpp;
    int gss_batch;
    double weight_decay;
  };
  for (const Row& row : {Row{"p-mnist", 5, 10, 1000, 1, 0.5, 1, 10, 0},
                         {"s-mnist", 5, 10, 1000, 1, 0.5, 1, 10, 0},
                         {"s-cifar-10", 50, 10, 200, 5, 0.3, 0.1, 32, 0},
                         {"s-cifar-100", 100, 50, 2000, 5, 0.5, 0.5, 32, 1e-5},
                         {"tiny-imagenet", 100, 50, 2000, 5, 0.1, 0.1, 32, 1e-5}}) {
    const std::string& name = row.benchmark;
    EXPECT_EQ(default_memory(name), row.memory) << name;
    const Spec er = on(name, "er");
    EXPECT_EQ(er.training.epochs, row.epochs) << name;
    EXPECT_EQ(er.training.batch, row.batch) << name;
    EXPECT_EQ(er.learner.memory_batch, row.batch) << name;
    EXPECT_EQ(er.memory, 200) << name << ": not the preset's to change";
    EXPECT_FLOAT_EQ(er.learner.learning_rate, 0.1f);
    EXPECT_EQ(simulation_options(er).training.epochs, row.pseudo_epochs) << name;
    EXPECT_DOUBLE_EQ(real(on(name, "der"), "alpha"), row.der) << name;
    EXPECT_DOUBLE_EQ(real(on(name, "der++"), "alpha"), row.derpp) << name;
    EXPECT_DOUBLE_EQ(real(on(name, "der++"), "beta"), 0.5) << name;
    EXPECT_DOUBLE_EQ(real(on(name, "hal"), "hal_lambda"), 0.1) << name;
    EXPECT_DOUBLE_EQ(real(on(name, "oewc"), "ewc_lambda"), 0.7) << name;
    EXPECT_EQ(gss_batch(on(name, "gss")), row.gss_batch) << name;
    EXPECT_DOUBLE_EQ(real(on(name, "icarl"), "weight_decay"), row.weight_decay) << name;
  }
}

TEST(Presets, TheOracleSimulatesAsManyEpochsAsThereAre) {
  Spec spec = on("s-cifar-10", "er");
  spec.policy.settings["future"] = "offline";
  EXPECT_EQ(simulation_options(spec).training.epochs, 50);
}

TEST(Presets, MammothsHaveValuesForSplitStreams) {
  const Spec ten = on("s-cifar-10", "der++", "mammoth", 500);
  EXPECT_EQ(ten.benchmark.tasks, 5);
  EXPECT_EQ(ten.training.epochs, 50);
  EXPECT_EQ(ten.training.batch, 32);
  EXPECT_EQ(ten.learner.memory_batch, 32);
  EXPECT_EQ(text(on("s-cifar-10", "er", "mammoth", 500), "er_loss"), "concat");
  EXPECT_FLOAT_EQ(ten.learner.learning_rate, 0.03f);
  EXPECT_DOUBLE_EQ(real(ten, "alpha"), 0.2);
  EXPECT_DOUBLE_EQ(real(ten, "beta"), 0.5);
  EXPECT_DOUBLE_EQ(real(on("s-cifar-10", "hal", "mammoth"), "hal_lambda"), 0.2);
  EXPECT_DOUBLE_EQ(real(on("s-cifar-10", "oewc", "mammoth"), "ewc_lambda"), 10);
  EXPECT_EQ(gss_batch(on("s-cifar-10", "gss", "mammoth")), 32);
  EXPECT_FLOAT_EQ(on("s-cifar-10", "icarl", "mammoth", 5120).learner.learning_rate, 0.03f);
  EXPECT_FLOAT_EQ(on("s-cifar-100", "icarl", "mammoth").learner.learning_rate, 0.3f);
  EXPECT_FLOAT_EQ(on("s-cifar-100", "joint", "mammoth").learner.learning_rate, 0.03f);
  EXPECT_EQ(on("s-cifar-100", "er", "mammoth").training.epochs, 50);
  EXPECT_EQ(on("tiny-imagenet", "er", "mammoth").training.epochs, 100);
  EXPECT_FLOAT_EQ(on("tiny-imagenet", "er", "mammoth", 500).learner.learning_rate, 0.03f);
  EXPECT_DOUBLE_EQ(real(on("tiny-imagenet", "der++", "mammoth"), "beta"), 1);
  EXPECT_FLOAT_EQ(on("tiny-imagenet", "agem", "mammoth").learner.learning_rate, 0.01f);
  Spec hal;
  hal.benchmark.name = "tiny-imagenet";
  hal.learner.name = "hal";
  EXPECT_THAT(refusal(hal, "mammoth"),
              AllOf(HasSubstr("'hal' on tiny-imagenet"), HasSubstr("icarl")));
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

}  // namespace presets_test
}  // namespace gps
