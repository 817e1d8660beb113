// Runs on networks with batch normalisation and on images that are varied at random go on from a
// checkpoint to the same bits, as those on an MLP do (tests/experiments/resume_test.cpp).
#include <gtest/gtest.h>

#include "experiments/tiny_run.h"
#include "gps/experiments/spec/presets.h"
#include "support/temporary_folder.h"
#include "support/test_names.h"
#include "torch/networks.h"

namespace gps {
namespace resume_test {

using testing::text_but_for_times;

// Tiny images in three channels, which streams of natural images augment.
Dataset coloured(int classes, std::size_t per_class, std::uint64_t seed) {
  const Dataset grey = testing::tiny_dataset(classes, per_class, seed, 8);
  std::vector<std::uint8_t> bytes;
  std::vector<Label> labels;
  std::vector<std::uint8_t> scratch(grey.shape().bytes());
  for (std::size_t i = 0; i < grey.size(); ++i) {
    const std::uint8_t* image = grey.image(i, scratch);
    for (const int divisor : {1, 2, 3}) {
      for (std::size_t p = 0; p < grey.shape().bytes(); ++p)
        bytes.push_back(static_cast<std::uint8_t>(image[p] / divisor));
    }
    labels.push_back(grey.label(i));
  }
  return {{3, 8, 8}, std::move(bytes), labels, classes};
}

struct Case {
  std::string model;  // as testing::tiny_network() names it
  std::string learner;
  std::string policy;
};

class ResumeWithBatchNormalisation : public ::testing::TestWithParam<Case> {
 protected:
  static Spec spec() {
    Spec spec = testing::tiny_split_spec(GetParam().policy);
    spec.benchmark.name = "s-cifar-10";
    spec.benchmark.tasks = 2;
    spec.learner.name = GetParam().learner;
    apply_preset(spec, "paper");
    spec.learner.learning_rate = 0.02f;
    spec.learner.settings["anchor_steps"] = 2;
    spec.training = {/*epochs=*/2, /*batch=*/4};
    spec.memory = 8;
    spec.network = testing::tiny_network(GetParam().model);
    if (GetParam().model == "resnet18") spec.network.backend = "own";
    return spec;
  }
  static RunResult run_with(const Spec& spec, const RunHooks& hooks) {
    Executor executor(1);
    const testing::TinySplitSource source(spec.benchmark,
                                          TrainTest{coloured(4, 8, 1), coloured(4, 5, 2)});
    EXPECT_NE(source.stream(0)->augmentation(), Augmentation());
    return run(spec, 0, source, executor, hooks);
  }

  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_P(ResumeWithBatchNormalisation, EndsWithTheSameBits) {
  const Spec spec = ResumeWithBatchNormalisation::spec();
  const std::string expected = text_but_for_times(run_with(spec, {}));
  std::size_t stops = 0;
  for (std::optional<RunResult> result; !result;) {
    StopFlag stop;
    std::size_t ticks = 0;  // looks at the clock
    const auto clock = [&] {
      if (++ticks == 5 + stops % 3) stop.request();
      return static_cast<double>(ticks);
    };
    Checkpoints checkpoints(folder_.path() / "run.ckpt", {.seconds = 1e9, .clock = clock});
    try {
      result = run_with(spec, {&stop, nullptr, &checkpoints});
      EXPECT_EQ(text_but_for_times(*result), expected);
    } catch (const Interrupted&) {
      ++stops;
      ASSERT_TRUE(checkpoints.exists());
    }
    ASSERT_LT(stops, 100u) << "gets nowhere";
  }
  EXPECT_GE(stops, 2u);
}

INSTANTIATE_TEST_SUITE_P(Networks, ResumeWithBatchNormalisation,
                         ::testing::Values(Case{"convnet", "hal", "reservoir"},
                                           Case{"resnet18", "icarl", "gps"},
                                           Case{"resnet18 in LibTorch", "icarl", "gps"}),
                         [](const auto& each) { return testing::test_name(each.param.model); });

}  // namespace resume_test
}  // namespace gps
