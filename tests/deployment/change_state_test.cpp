#include "gps/deployment/change_state.h"

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "deployment/weeks.h"
#include "gps/deployment/learn_rows.h"
#include "support/logits.h"

namespace gps {
namespace change_state_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::tiny_options;
using testing::week;

LearnState after_weeks(const LearnOptions& options, int weeks) {
  LearnState state(options);
  Executor executor(1);
  for (int k = 1; k <= weeks; ++k) learn(state, week(k), executor);
  return state;
}

void learn_week(LearnState& state, int number) {
  Executor executor(1);
  learn(state, week(number), executor);
}

std::vector<std::string> change(LearnState& state, const GivenTexts& given) {
  LearnOptions changed = state.options;
  change_options(changed, given);
  return adopt(state, changed);
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::map<int, std::size_t> by_task(const Memory& memory) {
  std::map<int, std::size_t> counts;
  for (const Example& example : memory.examples()) ++counts[example.task];
  return counts;
}

std::set<const void*> images_of(const Memory& memory) {
  std::set<const void*> images;
  for (const Example& example : memory.examples()) images.insert(example.image.get());
  return images;
}

std::vector<float> logits_of(LearnState& state, const Dataset& data) {
  Network& network = network_of(*state.learner);
  return testing::first_logits(network, data, network.classes());
}

TEST(Adopt, ChangesNothingIfNothingThatIsStoredChanges) {
  LearnState state = after_weeks(tiny_options(), 2);
  LearnState other = after_weeks(tiny_options(), 2);
  EXPECT_THAT(change(state, {{"epochs", "11"}}), IsEmpty());
  other.options.method.training.epochs = 11;
  EXPECT_EQ(to_bytes(state), to_bytes(other));
}

TEST(Adopt, ASmallerMemoryKeepsTheSharesOfTasksAndWhatWasChosenFirst) {
  LearnState state = after_weeks(tiny_options("er", "mixed"), 3);
  const std::set<const void*> before = images_of(state.memory);
  EXPECT_EQ(state.memory.size(), 40u);
  EXPECT_THAT(
      change(state, {{"memory", "15"}}),
      ElementsAre("memory: 15 images instead of 50 images; 28 images for replay and 7 images "
                  "for testing are dropped"));
  EXPECT_EQ(state.memory.capacity(), 12u);
  EXPECT_EQ(by_task(state.memory), (std::map<int, std::size_t>{{1, 4}, {2, 4}, {3, 4}}));
  EXPECT_EQ(by_task(state.tests), (std::map<int, std::size_t>{{1, 1}, {2, 1}, {3, 1}}));
  for (const void* image : images_of(state.memory)) EXPECT_TRUE(before.contains(image));
  for (const Example& example : state.memory.examples())
    EXPECT_EQ(example.part, Part::ring) << "those chosen at random go first";
  LearnState again = state_from(to_bytes(state), "");
  learn_week(again, 4);
  EXPECT_LE(again.memory.size() + again.tests.size(), 15u);
}

TEST(Adopt, ALargerMemoryIsFilledByLaterTasks) {
  LearnState state = after_weeks(tiny_options("er", "mixed"), 2);
  const std::size_t before = state.memory.size();
  EXPECT_THAT(change(state, {{"memory", "100"}}),
              ElementsAre("memory: 100 images instead of 50 images; all stored images stay"));
  EXPECT_EQ(state.memory.size(), before);
  learn_week(state, 3);
  EXPECT_GT(state.memory.size(), before);
  EXPECT_GT(state.memory.count(3), state.memory.count(1)) << "those that are gone do not come back";
  EXPECT_LE(state.memory.size() + state.tests.size(), 100u);
}

TEST(Adopt, TheSimulationFollowsTheMemoryUnlessItsSizeWasGiven) {
  const auto simulated = [](const GivenTexts& made) {
    LearnOptions options = tiny_options();
    change_options(options, made);
    LearnState state = after_weeks(options, 1);
    state = state_from(to_bytes(state), "");
    change(state, {{"memory", "25"}});
    const nlohmann::json json = to_json(state.options);
    return json.at("spec").at("simulation_examples").get<int>();
  };
  EXPECT_EQ(simulated({}), 20);
  EXPECT_EQ(simulated({{"sim-examples", "30"}}), 30);
}

// Every pair of policies that a state can have: the new one goes on, within the budget.
TEST(Adopt, AnyPolicyCanFollowAnyOther) {
  for (const std::string& before : deployable_policies()) {
    LearnState made = after_weeks(tiny_options("er", before), 2);
    const std::string bytes = to_bytes(made);
    for (const std::string& after : deployable_policies()) {
      SCOPED_TRACE(before + " then " + after);
      LearnState state = state_from(bytes, "");
      change(state, {{"policy", after}, {"memory", "30"}});
      EXPECT_EQ(state.memory.size(), std::min<std::size_t>(made.memory.size(), 24));
      state = state_from(to_bytes(state), "");
      learn_week(state, 3);
      EXPECT_LE(state.memory.size(), 24u);
      EXPECT_GT(state.memory.count(3), 0u);
      EXPECT_LT(state.memory.count(3), 24u) << "the earlier tasks are not forgotten at once";
    }
  }
}

TEST(Adopt, AReservoirCountsWhatWasSeenBeforeIt) {
  LearnState state = after_weeks(tiny_options("er", "mixed"), 3);
  EXPECT_THAT(
      change(state, {{"policy", "reservoir"}}),
      ElementsAre("policy: reservoir instead of mixed:0.5; it chooses from the next task on"));
  learn_week(state, 4);
  // A quarter of what it has seen is new. With 40 slots, more than 25 of it would be a chance below
  // 1 in 10^6 (binomial); all 40 if it believed that the new images are the first.
  EXPECT_LT(state.memory.count(4), 25u);
}

TEST(Adopt, AnyLearnerCanFollowAnyOther) {
  for (const std::string& before : deployable_learners()) {
    LearnState made = after_weeks(tiny_options(before), 2);
    const std::string bytes = to_bytes(made);
    for (const std::string& after : deployable_learners()) {
      SCOPED_TRACE(before + " then " + after);
      LearnState state = state_from(bytes, "");
      if (after == "icarl" && !replays(before)) {
        EXPECT_THAT(refusal([&] {
                      change(state, {{"learner", after}});
                    }),
                    HasSubstr("answers by stored images, and none of class 'class 0'"));
        continue;
      }
      const std::vector<float> logits = logits_of(state, week(1).train);
      change(state, {{"learner", after}});
      EXPECT_EQ(logits_of(state, week(1).train), logits) << "the network stays";
      EXPECT_EQ(state.memory.size() > 0, replays(before) && replays(after));
      state = state_from(to_bytes(state), "");
      learn_week(state, 3);
      EXPECT_EQ(state.memory.size() > 0, replays(after));
      EXPECT_EQ(state.classes.size(), 6u);
    }
  }
}

TEST(Adopt, ALearnerThatStoresLogitsGetsThoseOfTheNetworkNow) {
  LearnState state = after_weeks(tiny_options("er", "mixed"), 2);
  EXPECT_THAT(
      change(state, {{"learner", "der++"}}),
      ElementsAre("learner: der++ instead of er; the network stays as it is, and its logits "
                  "now are stored with the images"));
  std::vector<float> stored(4);
  std::vector<float> now(4);
  std::vector<std::uint8_t> scratch(state.memory.image_bytes());
  for (std::size_t slot = 0; slot < state.memory.size(); ++slot) {
    ASSERT_NE(state.memory[slot].logits, nullptr);
    state.memory.read_logits(state.memory[slot], stored);
    const std::uint8_t* const image = state.memory.image(slot, scratch);
    network_of(*state.learner).logits({&image, 1}, now);
    EXPECT_EQ(stored, now);
  }
  change(state, {{"logits", "float16"}});
  state.memory.read_logits(state.memory[0], stored);
  EXPECT_EQ(state.memory.format().logits, LogitsFormat::float16);
  change(state, {{"learner", "er"}});
  EXPECT_EQ(state.memory[0].logits, nullptr);
}

TEST(Adopt, ALearnerHasItsOwnDefaultsAndTheRateOfTheState) {
  LearnState state = after_weeks(tiny_options(), 1);
  change(state, {{"learner", "der"}});
  const LearnerOptions& learner = state.options.method.learner;
  EXPECT_EQ(learner.learning_rate, 0.05f);
  EXPECT_EQ(learner.settings, learn_options("der").method.learner.settings);
  change(state, {{"alpha", "0.7"}});
  EXPECT_EQ(to_json(state.options).at("spec").at("alpha"), 0.7);
}

TEST(RenameClass, ChangesTheNameAndNothingElse) {
  LearnState state = after_weeks(tiny_options(), 2);
  LearnState before = state_from(to_bytes(state), "");
  EXPECT_EQ(rename_class(state, "class 2", "cafe\u0301"), "caf\u00e9") << "in one form of Unicode";
  EXPECT_THAT(state.classes, ElementsAre("class 0", "class 1", "caf\u00e9", "class 3"));
  before.classes[2] = "caf\u00e9";
  EXPECT_EQ(to_bytes(state), to_bytes(before));
  EXPECT_EQ(rename_class(state, "cafe\u0301", "x"), "x") << "whichever form is given";
}

TEST(RenameClass, RefusesNamesThatCannotBe) {
  LearnState state = after_weeks(tiny_options(), 1);
  EXPECT_EQ(refusal([&] { rename_class(state, "clas 1", "x"); }),
            "unknown class 'clas 1'; did you mean 'class 1'? known: class 0, class 1");
  EXPECT_EQ(refusal([&] { rename_class(state, "class 0", "class 1"); }),
            "there is already a class 'class 1'");
  EXPECT_THAT(refusal([&] { rename_class(state, "class 0", ""); }), HasSubstr("empty"));
  EXPECT_THAT(refusal([&] { rename_class(state, "class 0", "\xff"); }), HasSubstr("UTF-8"));
}

// Every learner and policy: images, logits, output and name of the class are gone, the others
// answer as before, and learning goes on.
TEST(RemoveClass, LeavesNothingOfItButWhatOtherWeightsLearnt) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const std::string& learner : deployable_learners()) members.emplace_back(learner, "");
  for (const std::string& policy : deployable_policies()) members.emplace_back("er", policy);
  for (const auto& [learner, policy] : members) {
    SCOPED_TRACE(learner + " " + policy);
    LearnState state = after_weeks(tiny_options(learner, policy), 3);
    const Dataset data = week(1).train;
    std::vector<float> expected = logits_of(state, data);
    for (std::size_t at = expected.size(); at-- > 0;) {
      if (at % 6 == 2) expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(at));
    }
    std::size_t replayed = 0;
    for (const Example& example : state.memory.examples()) replayed += example.label == 2;
    std::size_t tests = 0;
    for (const Example& example : state.tests.examples()) tests += example.label == 2;
    const std::size_t stored = state.memory.size();
    const RemovedImages removed = remove_class(state, "class 2");
    EXPECT_EQ(removed.replayed, replayed);
    EXPECT_EQ(removed.tests, tests);
    EXPECT_GT(tests, 0u);
    EXPECT_EQ(state.memory.size(), stored - replayed);
    EXPECT_THAT(state.classes, ElementsAre("class 0", "class 1", "class 3", "class 4", "class 5"));
    EXPECT_THAT(state.tasks[1].labels, ElementsAre(2));
    EXPECT_THAT(state.tasks[2].labels, ElementsAre(3, 4));
    EXPECT_EQ(state.tasks[1].new_classes, 1u);
    EXPECT_EQ(logits_of(state, data), expected) << "to the bit";
    for (const Example& example : state.memory.examples())
      EXPECT_EQ(example.label < 2 ? 1 : example.label == 2 ? 2 : 3, example.task);
    state = state_from(to_bytes(state), "");
    NewTask next = week(4, 6, 8);
    next.classes.erase(next.classes.begin() + 2);
    next.train = testing::tiny_dataset({0, 0, 0, 0, 0, 30, 30}, 4);
    Executor executor(1);
    learn(state, next, executor);
    EXPECT_EQ(state.classes.size(), 7u);
    EXPECT_LE(state.memory.size() + state.tests.size(), 50u);
  }
}

TEST(RemoveClass, ATaskWithoutClassesIsNotTestedAnyMore) {
  LearnState state = after_weeks(tiny_options(), 2);
  remove_class(state, "class 0");
  remove_class(state, "class 1");
  EXPECT_THAT(state.tasks[0].labels, IsEmpty());
  EXPECT_EQ(state.tasks[0].tested, 0u);
  EXPECT_EQ(state.tasks[0].new_classes, 0u);
  const std::vector<TaskStanding> scores = test_tasks(state);
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_EQ(scores[0].task, 2);
  state = state_from(to_bytes(state), "");
  remove_class(state, "class 2");
  EXPECT_THAT(refusal([&] { remove_class(state, "class 3"); }),
              HasSubstr("'class 3' is the only class"));
  EXPECT_THAT(refusal([&] { remove_class(state, "class 2"); }), HasSubstr("unknown class"));
}

}  // namespace change_state_test
}  // namespace gps
