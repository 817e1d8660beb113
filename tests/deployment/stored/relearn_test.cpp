#include "gps/deployment/stored/relearn.h"

#include <gmock/gmock.h>

#include "deployment/weeks.h"
#include "gps/deployment/change_state.h"
#include "gps/deployment/stored/stored_images.h"

namespace gps {
namespace relearn_test {

using ::testing::IsEmpty;
using testing::week;

LearnState learnt(const LearnOptions& options, int weeks = 2) {
  LearnState state(options);
  Executor executor(1);
  for (int k = 1; k <= weeks; ++k) learn(state, week(k), executor);
  return state;
}

TEST(Relearn, KnowsWhatIsStored) {
  LearnState state = learnt(testing::tiny_options("er", "ring-full", 100));
  const Relearnt report = relearn(state);
  EXPECT_EQ(report.trained, state.memory.size());
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_GT(testing::accuracy_among_all(state, 4), 0.7);
  EXPECT_EQ(state.tasks.size(), 2u);
  Executor executor(1);
  EXPECT_NO_THROW(learn(state, week(3), executor));
}

// The weights depend on nothing but the options and the stored images: two states with different
// pasts and the same memory end with the same ones.
TEST(Relearn, HasNoInfluenceOfWhatIsNotStored) {
  const LearnOptions options = testing::tiny_options("der++", "ring-full");
  LearnState one = learnt(options);
  LearnState other = state_from(to_bytes(one), "");
  network_of(*other.learner)
      .set_parameters(std::vector<float>(network_of(*other.learner).parameters().size(), 0.01f));
  EXPECT_NE(network_of(*other.learner).state(), network_of(*one.learner).state());
  relearn(one);
  relearn(other);
  EXPECT_TRUE(to_bytes(other) == to_bytes(one)) << "the stored logits too";
}

TEST(Relearn, WithoutAnErasedImageIsAsIfItHadNotBeenStored) {
  const LearnOptions options = testing::tiny_options("er", "ring-full");
  LearnState one = learnt(options);
  LearnState other = state_from(to_bytes(one), "");
  const std::uint64_t hash = stored_images(one).front().hash;
  remove_images(one, {hash});
  relearn(one);
  relearn(other);
  EXPECT_NE(network_of(*other.learner).state(), network_of(*one.learner).state());
}

TEST(Relearn, SaysWhetherTheNewWeightsAreOfUse) {
  LearnOptions options = testing::tiny_options("er", "ring-full", 200);
  LearnState state = learnt(options);
  state.options.method.learner.learning_rate = 1e-30f;
  EXPECT_FALSE(relearn(state).problems.empty());
}

TEST(Relearn, NeedsStoredImages) {
  LearnState state = learnt(testing::tiny_options("sgd"));
  EXPECT_THROW(relearn(state), UsageError);
}

}  // namespace relearn_test
}  // namespace gps
