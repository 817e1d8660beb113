#include "gps/experiments/planning/codec_trial.h"

#include <gmock/gmock.h>

#include "gps/nn/catalog.h"
#include "support/tiny_data.h"

namespace gps {
namespace codec_trial_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr ImageShape kShape{1, 16, 16};

TEST(CodecsFor, AreExactPixelsFewerBitsAndPackedOnes) {
  EXPECT_THAT(codecs_for({1, 28, 28}),
              ElementsAre("raw", "bits:4", "bits:2", "bits:1", "pack:96", "pack:48", "pack:24"));
  EXPECT_THAT(codecs_for({1, 8, 8}), ElementsAre("raw", "bits:4", "bits:2", "bits:1"))
      << "64 bytes are few already";
}

TEST(CodecsFor, AreForPhotographsThoseOfLessThanHalfOfTheBytes) {
  for (const ImageShape& shape : {ImageShape{3, 32, 32}, ImageShape{3, 224, 224}}) {
    const std::vector<std::string> codecs = codecs_for(shape);
    EXPECT_EQ(codecs.front(), "raw");
    EXPECT_THAT(codecs, AllOf(Contains("down:2"), Contains(StartsWith("webp:"))));
    for (const std::string& text : codecs) {
      const SharedCodec codec = make_codec(text);
      codec->check(shape);
      if (text == "raw") continue;
      EXPECT_LE(2 * codec->stored_bytes(shape), shape.bytes()) << text;
    }
  }
}

// Two classes of images: all pixels have one of two values, by class, with noise in the lowest
// bits.
Task two_tones(unsigned dark, unsigned light, int examples) {
  Rng rng(3);
  std::vector<std::uint8_t> bytes;
  std::vector<Label> labels;
  for (int k = 0; k < examples; ++k) {
    labels.push_back(static_cast<Label>(k % 2));
    for (std::size_t p = 0; p < kShape.bytes(); ++p)
      bytes.push_back(static_cast<std::uint8_t>((k % 2 == 0 ? dark : light) + rng.index(4)));
  }
  return {1, Dataset(kShape, std::move(bytes), labels, 2), {0, 1}, {}};
}

PlanningNeeds needs_for(std::uint64_t bytes) {
  PlanningNeeds needs;
  needs.options.knobs = "codec";
  needs.method.memory_bytes = bytes;
  needs.method.training = {.epochs = 1, .batch = 5};
  needs.method.policy.name = "reservoir";
  needs.method.network.hidden = {8};
  needs.tasks = 2;
  needs.is_split = true;
  needs.classes = 4;
  needs.make_network = [network = needs.method.network](const Rng& rng) {
    return make_network(network, kShape, 4, {}, rng);
  };
  return needs;
}

RecipeChoice chosen(const Task& task, const PlanningNeeds& needs, int threads = 1) {
  Executor executor(threads);
  return choose_codec(recipe_of(needs.method), {"raw", "bits:4", "bits:1"}, task, needs, executor,
                      Rng(1));
}

TEST(ChooseCodec, LeavesOneThatLosesWhatTellsClassesApart) {
  const RecipeChoice choice = chosen(two_tones(20, 100, 400), needs_for(20'000));
  ASSERT_EQ(choice.trials.size(), 3u);
  EXPECT_EQ(choice.trials.back().recipe.codec, "bits:1") << "both tones are black then";
  EXPECT_NE(choice.recipe.codec, "bits:1");
}

TEST(ChooseCodec, GivesNothingToOneThatTheBudgetHasNoRoomFor) {
  const RecipeChoice choice = chosen(two_tones(20, 220, 400), needs_for(200));
  EXPECT_EQ(choice.recipe.codec, "bits:1") << "40 bytes an example, one for each class";
  EXPECT_EQ(choice.trials.back().score, 0);
}

TEST(ChooseCodec, TakesTheFirstIfThereIsOneClassOrOneExampleOfEach) {
  Task one_class = two_tones(20, 220, 100);
  one_class.labels = {0};
  for (const Task& task : {one_class, two_tones(20, 220, 2)}) {
    const RecipeChoice choice = chosen(task, needs_for(2000));
    EXPECT_EQ(choice.recipe.codec, "raw");
  }
}

TEST(ChooseCodec, CountsTheLogitsOfTheLearnerThatIsPlanned) {
  PlanningNeeds needs = needs_for(200);
  needs.method.learner.name = "der";
  const RecipeChoice choice = chosen(two_tones(20, 220, 400), needs);
  EXPECT_EQ(choice.trials.front().score, 0) << "with 16 bytes of logits there is one for two tasks";
}

TEST(ChooseCodec, TakesTheOneInTheMiddleIfAllAreEqual) {
  const Task same{1, testing::blank_dataset(2, 50, kShape.width), {0, 1}, {}};
  EXPECT_EQ(chosen(same, needs_for(20'000)).recipe.codec, "bits:4");
}

TEST(ChooseCodec, GivesTheSameForAnyNumberOfThreads) {
  const Task task = two_tones(60, 100, 100);
  const RecipeChoice one = chosen(task, needs_for(2000), 1);
  const RecipeChoice three = chosen(task, needs_for(2000), 3);
  EXPECT_EQ(one.recipe, three.recipe);
  for (std::size_t k = 0; k < one.trials.size(); ++k) {
    EXPECT_EQ(one.trials[k].recipe, three.trials[k].recipe);
    EXPECT_EQ(one.trials[k].score, three.trials[k].score);
  }
}

}  // namespace codec_trial_test
}  // namespace gps
