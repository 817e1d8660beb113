// Runs on streams of a user's own images.
#include <gmock/gmock.h>

#include "experiments/tiny_run.h"
#include "gps/experiments/scheduling/cost.h"
#include "gps/experiments/spec/presets.h"
#include "support/environment.h"
#include "support/own_images.h"
#include "support/temporary_folder.h"

namespace gps {
namespace own_run_test {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::StartsWith;
using testing::text_but_for_times;
using testing::write_classes;

class OwnRun : public ::testing::Test {
 protected:
  OwnRun() {
    write_classes(root() / "week1", {"cat", "dog"}, 20);
    write_classes(root() / "week2", {"cat", "emu", "fox"}, 20, /*seed=*/2);
  }
  fs::path root() const { return folder_.path() / "photos"; }

  Spec spec(const std::string& policy = "reservoir") const {
    Spec spec = testing::tiny_spec(policy);
    spec.benchmark = {};
    spec.benchmark.name = path_name(root().string());
    spec.benchmark.own = look_at_stream(root(), {});
    spec.benchmark.tasks = 2;
    return spec;
  }
  static RunResult result(const Spec& spec, const RunHooks& hooks = {}, int workers = 1) {
    Executor executor(workers);
    return run(spec, 0, *open_benchmark(spec.benchmark, ""), executor, hooks);
  }
  fs::path checkpoint() const { return folder_.path() / "run.ckpt"; }

 private:
  testing::TemporaryFolder folder_{testing::in_memory()};
  testing::Environment cache_{"XDG_CACHE_HOME", (folder_.path() / "cache").string()};
};

TEST_F(OwnRun, ReportsBothAccuraciesAndTheNamesOfClassesAndTasks) {
  const RunResult done = result(spec());
  EXPECT_THAT(done.class_names, ElementsAre("cat", "dog", "emu", "fox"));
  EXPECT_THAT(done.task_names, ElementsAre("week1", "week2"));
  EXPECT_EQ(done.labels, (std::vector<std::vector<Label>>{{0, 1}, {0, 2, 3}}));
  ASSERT_TRUE(done.class_incremental);
  EXPECT_GT(done.metrics.average_accuracy(), 0.6);
  const nlohmann::json json = to_json(done);
  EXPECT_EQ(json["class_names"][3], "fox");
  EXPECT_FALSE(json.contains("skipped_images"));
  EXPECT_EQ(to_json(result_from_json(json)), json);
}

TEST_F(OwnRun, IsTheSameForAnyNumberOfWorkers) {
  const Spec gps = spec("gps");
  EXPECT_EQ(text_but_for_times(result(gps, {}, 3)), text_but_for_times(result(gps)));
}

TEST_F(OwnRun, GoesOnFromItsCheckpointWithTheSameBits) {
  const Spec hybrid = spec("hybrid");
  const std::string expected = text_but_for_times(result(hybrid));
  Checkpoints checkpoints(checkpoint(), {.seconds = 0, .steps = 3});
  StopFlag stop;
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.checkpoints = &checkpoints;
  hooks.progress = [&](const RunProgress& now) {
    if (now.task == 2) stop.request();
  };
  EXPECT_THROW(result(hybrid, hooks), Interrupted);
  ASSERT_TRUE(checkpoints.exists());
  RunHooks again;
  std::string told;
  Checkpoints same(checkpoint(), {.tell = [&](const std::string& line) { told = line; }});
  again.checkpoints = &same;
  EXPECT_EQ(text_but_for_times(result(hybrid, again)), expected);
  EXPECT_THAT(told, StartsWith("continues in task 2"));
}

TEST_F(OwnRun, IsWhollySaidByItsSpec) {
  Spec all = spec();
  all.benchmark.own->skip_bad = true;
  all.benchmark.own->classes_per_task = 2;
  const nlohmann::json json = to_json(all);
  EXPECT_EQ(json["image_size"], "6x6");
  EXPECT_EQ(json["colour"], "grey");
  EXPECT_EQ(json["test_fraction"], 0.2);
  EXPECT_EQ(json["classes_of_tasks"], nlohmann::json({2, 3}));
  const Spec back = spec_from_json(json);
  EXPECT_EQ(back.benchmark, all.benchmark);
  EXPECT_EQ(to_json(back), json);
  EXPECT_FALSE(to_json(Spec()).contains("data_fingerprint"));
}

// The text is hashed into the identity of a run, so it must stay as it is.
TEST_F(OwnRun, WritesTheOptionsOfItsStreamAlwaysInTheSameWay) {
  const auto text = [](const Spec& spec) {
    nlohmann::json own;
    for (const Option& option : own_stream_options().rows()) {
      if (to_json(spec).contains(option.key)) own[option.key] = to_json(spec)[option.key];
    }
    return own.dump();
  };
  Spec all = spec();
  EXPECT_EQ(text(all), R"({"colour":"grey","image_size":"6x6","test_fraction":0.2})");
  all.benchmark.own->skip_bad = true;
  all.benchmark.own->classes_per_task = 2;
  all.benchmark.own->test_fraction = 0;
  all.benchmark.own->shape = {3, 5, 7};
  EXPECT_EQ(text(all),
            R"({"classes_per_task":2,"colour":"rgb","image_size":"5x7","skip_bad":true})");
  for (const char* key : {"colour", "image_size"}) {
    nlohmann::json json = to_json(all);
    json[key] = "auto";
    EXPECT_THROW(spec_from_json(json), DataError) << key;
    json.erase(key);
    EXPECT_THROW(spec_from_json(json), DataError) << key;
  }
}

TEST_F(OwnRun, IsAnotherOneWhenItsDataIsChanged) {
  const std::string before = file_name(spec(), 0);
  EXPECT_THAT(before, StartsWith("photos-er-reservoir-seed0-"));
  testing::write_images(root() / "week1/cat", 0, 1, /*seed=*/77);
  EXPECT_NE(file_name(spec(), 0), before);
}

TEST_F(OwnRun, TakesTheHyperParametersOfTheStreamThatItIsLike) {
  Spec grey = spec();
  apply_preset(grey, "paper");
  EXPECT_EQ(grey.training.epochs, 5);
  Spec colour = spec();
  colour.benchmark.own->shape.channels = 3;
  apply_preset(colour, "paper");
  EXPECT_EQ(colour.training.epochs, 50);
  EXPECT_EQ(default_model(treated_as(colour.benchmark)), "resnet18");
  EXPECT_EQ(default_memory(treated_as(colour.benchmark)), 200);
  EXPECT_THROW(apply_preset(grey, "mammoth"), UsageError);
  grey.benchmark.name = "p-anything/";
  EXPECT_THROW(apply_preset(grey, "mammoth"), UsageError);
}

TEST_F(OwnRun, IsExpectedToCostMoreWithMoreImagesAndLargerOnes) {
  Spec small = spec();
  Spec many = small;
  many.benchmark.own->images *= 10;
  EXPECT_NEAR(expected_cost(many) / expected_cost(small), 10, 2);
  Spec large = small;
  large.benchmark.own->shape = {3, 60, 60};
  EXPECT_GT(expected_cost(large), 10 * expected_cost(small));
}

TEST_F(OwnRun, ChecksWhatItsLearnersAndPoliciesNeed) {
  Spec floor = spec("ring-full:floor");
  floor.memory = 4;  // two classes and three
  EXPECT_THROW(validate(floor), UsageError);
  floor.memory = 5;
  validate(floor);
  Spec icarl = spec("herding");
  icarl.learner.name = "icarl";
  validate(icarl);
  icarl.benchmark.own->classes_of_tasks = {4, 4};
  EXPECT_THROW(validate(icarl), UsageError);
}

}  // namespace own_run_test
}  // namespace gps
