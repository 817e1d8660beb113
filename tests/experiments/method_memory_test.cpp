// A memory that is counted in bytes: from the options to the result of a run.
#include "gps/experiments/method_memory.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "experiments/tiny_run.h"
#include "gps/experiments/spec/spec_options.h"

namespace gps {
namespace method_memory_test {

using testing::tiny_run;
using testing::tiny_spec;

constexpr ImageShape kDigit{1, 28, 28};

TEST(MethodMemory, IsANumberOfExamplesOrWhatFits) {
  Method method;
  EXPECT_EQ(make_memory(method, kDigit, {}, 10).capacity(), 1000u);
  method.memory_bytes = 784'000;
  EXPECT_EQ(make_memory(method, kDigit, {}, 10).capacity(), 989u);
  method.codec = "bits:1";
  const Memory memory = make_memory(method, kDigit, {}, 10);
  EXPECT_EQ(memory.capacity(), 7396u);
  EXPECT_EQ(memory.stored_bytes(), 98u);
}

TEST(MethodMemory, CountsTheLogitsOfLearnersThatStoreThem) {
  Method method;
  method.learner.name = "der";
  method.memory_bytes = 784'000;
  method.codec = "bits:1";
  EXPECT_EQ(make_memory(method, kDigit, {}, 10).capacity(), 784'000u / (106 + 40));
  method.learner.settings["logits"] = "int8";
  const Memory memory = make_memory(method, kDigit, {}, 10);
  EXPECT_EQ(memory.capacity(), 784'000u / (106 + 18));
  EXPECT_EQ(memory.format().logits, LogitsFormat::int8);
}

TEST(MethodMemory, BecomesANumberOfExamples) {
  Method method;
  method.memory_bytes = 784'000;
  count_in_examples(method, kDigit, 10);
  EXPECT_EQ(method.memory, 989);
  EXPECT_EQ(method.memory_bytes, 0u);
  count_in_examples(method, {3, 32, 32}, 10);
  EXPECT_EQ(method.memory, 989) << "a number of examples stays as it is";
}

TEST(MethodMemory, HasALargestNumberOfExamples) {
  Method method;
  method.memory_bytes = 1'000'000'000'000'000;
  count_in_examples(method, kDigit, 10);
  EXPECT_EQ(method.memory, kLargestMemory);
}

TEST(MethodMemory, RefusesWhatCannotBeStored) {
  Method method;
  method.memory_bytes = 700;
  EXPECT_THROW(make_memory(method, kDigit, {}, 10), OptionError);
  method = {};
  method.codec = "down:3";
  EXPECT_THROW(make_memory(method, kDigit, {}, 10), OptionError);
}

TEST(SpecWithBytes, HasAKeyOfItsOwnAndIsReadBack) {
  Spec spec;
  const nlohmann::json usual = to_json(spec);
  EXPECT_EQ(usual.at("memory"), 1000);
  for (const char* key : {"memory_bytes", "codec", "logits"}) EXPECT_FALSE(usual.contains(key));
  set_policy(spec.policy, "gps");
  spec.learner.name = "der";
  set_option(spec, "memory", "784kB");
  set_option(spec, "codec", "bits:1/dither");
  set_option(spec, "logits", "float16");
  const nlohmann::json json = to_json(spec);
  EXPECT_FALSE(json.contains("memory"));
  EXPECT_EQ(json.at("memory_bytes"), 784'000);
  EXPECT_EQ(json.at("codec"), "bits:1/dither");
  EXPECT_EQ(json.at("logits"), "float16");
  EXPECT_EQ(json.at("simulation_examples"), 0) << "as many as fit, which the images decide";
  const Spec again = spec_from_json(json);
  EXPECT_EQ(to_json(again), json);
  EXPECT_EQ(again.memory_bytes, 784'000u);
  set_option(spec, "memory", "50");
  EXPECT_EQ(to_json(spec).at("memory"), 50);
  EXPECT_FALSE(to_json(spec).contains("memory_bytes"));
}

TEST(SpecWithBytes, IsNotReadFromWhatIsNoNumberOfBytes) {
  for (const nlohmann::json& bytes : {nlohmann::json(-1), nlohmann::json(0), nlohmann::json(1.5),
                                      nlohmann::json(1e300), nlohmann::json("784kB")}) {
    nlohmann::json json = to_json(Spec());
    json.erase("memory");
    json["memory_bytes"] = bytes;
    EXPECT_THROW(spec_from_json(json), DataError) << bytes.dump();
  }
}

TEST(SpecWithBytes, ACodecThatIsNoneIsRefused) {
  Spec spec;
  spec.codec = "jpeg:80";
  EXPECT_THROW(validate(spec), OptionError);
}

// 36 pixels: 44 bytes with everything.
TEST(RunWithBytes, IsTheRunWithSoManyExamples) {
  for (const char* policy : {"reservoir", "gps"}) {
    Spec spec = tiny_spec(policy);
    const RunResult counted = tiny_run(spec);
    spec.memory_bytes = 24 * 44 + 43;
    const RunResult in_bytes = tiny_run(spec);
    EXPECT_EQ(in_bytes.accuracy, counted.accuracy) << policy;
    EXPECT_EQ(counted.memory_bytes, 24u * 44);
    EXPECT_EQ(in_bytes.memory_bytes, 24u * 44);
    EXPECT_EQ(to_json(in_bytes).at("memory_bytes"), 24 * 44);
    EXPECT_EQ(to_json(in_bytes).at("spec").at("memory_bytes"), 24 * 44 + 43);
    EXPECT_EQ(to_json(result_from_json(to_json(in_bytes))), to_json(in_bytes));
  }
}

TEST(RunWithBytes, HoldsMoreCoarseExamplesInTheSameBytes) {
  for (const char* learner : {"er", "der++", "hal", "gss", "agem"}) {
    Spec spec = tiny_spec("mixed");
    spec.learner.name = learner;
    spec.memory_bytes = 24 * 44;
    spec.codec = "bits:1";
    if (std::string(learner) == "der++") {
      spec.learner.settings["logits"] = "int8";
      spec.learner.settings["alpha"] = 0.1;
    }
    const RunResult result = tiny_run(spec);
    std::size_t images = 0;
    for (const TaskShare& share : result.memory.back())
      images += testing::total(share.ring) + testing::total(share.reservoir);
    EXPECT_GT(images, 40u) << learner;
    EXPECT_LE(result.memory_bytes, 24u * 44) << learner;
  }
}

TEST(RunWithBytes, SaysWhatOneExampleTakesIfThereIsNoRoomForIt) {
  Spec spec = tiny_spec("reservoir");
  spec.memory_bytes = 43;
  try {
    tiny_run(spec);
    ADD_FAILURE();
  } catch (const OptionError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("must be at least 44B, got 43B"));
  }
  spec = tiny_spec("ring-full:floor");
  spec.memory_bytes = 11 * 44;
  EXPECT_THROW(tiny_run(spec), OptionError) << "three tasks of P-MNIST need 30";
}

}  // namespace method_memory_test
}  // namespace gps
