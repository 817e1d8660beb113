#include "gps/deployment/learn.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "deployment/weeks.h"
#include "gps/deployment/task_groups.h"

namespace gps {
namespace learn_test {

using testing::accuracy_among_all;
using ::testing::HasSubstr;
using testing::tiny_options;
using testing::week;

LearnState after_weeks(const LearnOptions& options, int weeks) {
  LearnState state(options);
  Executor executor(1);
  for (int k = 1; k <= weeks; ++k) learn(state, week(k), executor);
  return state;
}

std::set<std::vector<std::uint8_t>> images_of(const Memory& memory) {
  std::set<std::vector<std::uint8_t>> images;
  for (const Example& example : memory.examples())
    images.insert({example.image.get(), example.image.get() + memory.image_bytes()});
  return images;
}

std::string refusal(const std::string& learner, const std::string& policy) {
  try {
    tiny_options(learner, policy);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

// The contract: every learner, and every policy, learns three tasks of new classes, or is refused
// by name before any work.
class Deployed : public ::testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(Deployed, LearnsThreeGrowingTasksOrIsRefusedByName) {
  const auto& [learner, policy] = GetParam();
  const std::string refused = refusal(learner, policy);
  if (!refused.empty()) {
    EXPECT_THAT(refused, HasSubstr(policy.empty() ? learner : policy));
    return;
  }
  const LearnOptions options = tiny_options(learner, policy);
  LearnState state(options);
  LearnState reloaded(options);
  Executor executor(1);
  Executor two(2);
  for (int k = 1; k <= 3; ++k) {
    const LearnReport report = learn(state, week(k), executor);
    EXPECT_EQ(report.task, k);
    EXPECT_EQ(report.new_classes.size(), 2u);
    EXPECT_EQ(report.scores.size(), static_cast<std::size_t>(k));
    EXPECT_LE(state.memory.size() + state.tests.size(), 50u);
    EXPECT_EQ(state.memory.size() > 0, replays(learner));
    // Kept and brought back between tasks, and on two workers: the same bits.
    if (k > 1) reloaded = state_from(to_bytes(reloaded), "");
    learn(reloaded, week(k), two);
    EXPECT_EQ(to_bytes(reloaded), to_bytes(state)) << "after week " << k;
  }
  EXPECT_EQ(state.classes.size(), 6u);
  const Dataset newest = testing::week(3).train;
  EXPECT_GT(test(state, newest, labels_in(newest)).accuracy, 0.8);
}

std::vector<std::pair<std::string, std::string>> members() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string& learner : names(learner_catalog())) all.emplace_back(learner, "");
  for (const std::string& policy : names(policy_catalog())) all.emplace_back("er", policy);
  all.emplace_back("er", "gps:cur");
  all.emplace_back("er", "gps:offline");
  all.emplace_back("icarl", "herding");
  all.emplace_back("gss", "gradient");
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalog, Deployed, ::testing::ValuesIn(members()), [](const auto& nth) {
  std::string name;
  for (const char c : nth.param.first + "_" + nth.param.second)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

TEST(Learn, TrainsLongerOnSmallWeeksWhereEpochsFollowTheData) {
  LearnOptions options = tiny_options("er", "reservoir");
  options.fits_epochs = true;
  LearnState state(options);
  Executor executor(1);
  learn(state, week(1, 0, 2, /*per_class=*/10), executor);
  const int small = state.options.method.training.epochs;
  learn(state, week(2, 2, 4, /*per_class=*/400), executor);
  EXPECT_LT(state.options.method.training.epochs, small);
  EXPECT_EQ(state.options.method.training.epochs,
            usual_epochs("mlp", state.tasks.back().examples, options.method.training.batch));
}

TEST(Learn, SaysWhatItIsAboutToDoAndHowFarItIs) {
  LearnState state(tiny_options("er", "gps", /*memory=*/20));
  Executor executor(1);
  std::size_t candidates = 0;
  std::size_t most = 0;
  std::size_t tried = 0;
  std::size_t steps = 0;
  bool was_tested = false;
  const LearnHooks hooks{.progress =
                             [&](const LearnProgress& now) {
                               tried = now.tried;
                               most = std::max(most, now.most_tried);
                               steps = now.steps_done;
                               was_tested = was_tested || now.is_testing;
                               EXPECT_LE(now.steps_done, now.steps_expected);
                             },
                         .begins =
                             [&](const LearnWork& work) {
                               candidates = work.candidates;
                               EXPECT_EQ(steps, 0u);
                               EXPECT_GT(work.steps, 0u);
                               EXPECT_GT(work.candidate_steps, 0u);
                             }};
  const LearnReport report = learn(state, week(1), executor, hooks);
  EXPECT_EQ(steps, report.steps);
  EXPECT_EQ(most, candidates);
  EXPECT_EQ(tried, report.decision->trials.size());
  EXPECT_GT(tried, 0u);
  EXPECT_LE(tried, most);
  EXPECT_TRUE(was_tested);
}

TEST(Learn, SimulatesNothingWhereEveryImageIsKept) {
  LearnState state(tiny_options("er", "gps", /*memory=*/200));
  Executor executor(1);
  std::size_t candidates = 1;
  const LearnReport report =
      learn(state, week(1), executor,
            {.begins = [&](const LearnWork& work) { candidates = work.candidates; }});
  EXPECT_EQ(candidates, 0u);
  ASSERT_TRUE(report.decision);
  EXPECT_TRUE(report.decision->trials.empty());
  EXPECT_EQ(report.decision->quota, report.trained);
}

TEST(Learn, NormalisesTheImagesOfAnMlpToo) {
  LearnState state(tiny_options("er", "reservoir"));
  Executor executor(1);
  learn(state, week(1), executor);
  EXPECT_EQ(state.options.normalisation.mean.size(), 1u);
}

TEST(Learn, RefusesWhatCannotGoOnForYears) {
  for (const char* learner : {"hal", "oewc", "ogd", "gdumb", "joint"})
    EXPECT_THAT(refusal(learner, ""), HasSubstr("er, der, der++, agem, gss, icarl or sgd"));
  EXPECT_THAT(refusal("er", "hybrid"), HasSubstr("'hybrid' stores nothing new"));
  EXPECT_THAT(refusal("er", "ring-full:floor"), HasSubstr("ring-full:floor"));
  EXPECT_THAT(refusal("er", "gps:offline"), HasSubstr("gps:permutation"));
  EXPECT_THAT(refusal("sgd", "gps"), HasSubstr("keeps no memory"));
}

TEST(Learn, ReadsOptionsThatEarlierVersionsWroteWithAStream) {
  const nlohmann::json now = to_json(testing::tiny_options());
  nlohmann::json earlier = now;
  earlier["spec"]["benchmark"] = "s-mnist";
  earlier["spec"]["tasks"] = 5;
  earlier["spec"]["examples_per_task"] = 0;
  earlier["spec"]["imbalance"] = 1.0;
  EXPECT_EQ(to_json(learn_options_from(now, ".")), now);
  EXPECT_EQ(to_json(learn_options_from(earlier, ".")), now);
  earlier["spec"]["momentum"] = 0.9;
  EXPECT_THROW(learn_options_from(earlier, "."), DataError);
}

double alpha_of(const LearnOptions& options) {
  return std::get<double>(*options.method.learner.settings.find("alpha"));
}

// A step on the logits of a stored image is η (2α/C) ‖φ‖² of their error: many features want a
// small α.
TEST(Learn, WeighsLogitsOfNetworksWithManyFeaturesAsThePaperDoesOnNaturalImages) {
  EXPECT_EQ(alpha_of(learn_options("der++")), 1.0);
  EXPECT_EQ(alpha_of(learn_options("der++", "", "convnet")), 0.1);
  EXPECT_EQ(alpha_of(learn_options("der", "", "resnet18")), 0.3);
  EXPECT_EQ(learn_options("der++", "", "convnet").method.network.model, "convnet");
  EXPECT_EQ(learn_options("er", "", "convnet").method.training.epochs, 5);
}

TEST(Learn, KeepsOldClassesThatAreForgottenWithoutAMemory) {
  const auto for_long = [](const char* learner) {
    LearnOptions options = tiny_options(learner);
    options.method.training.epochs = 100;
    return options;
  };
  LearnState with = after_weeks(for_long("er"), 5);
  LearnState without = after_weeks(for_long("sgd"), 5);
  EXPECT_GT(accuracy_among_all(with, 10), 0.9);
  EXPECT_LT(accuracy_among_all(without, 10), 0.8);
}

TEST(Learn, NeverTrainsOnWhatItTestsOn) {
  // The examples that are neither tested nor stored were all offered to training; those tested are
  // in no memory, not even as copies.
  LearnState state = after_weeks(tiny_options("er", "reservoir"), 3);
  std::set<std::vector<std::uint8_t>> tested;
  for (const Example& example : state.tests.examples())
    tested.insert({example.image.get(), example.image.get() + 36});
  EXPECT_EQ(tested.size(), 10u);
  for (const Example& example : state.memory.examples())
    EXPECT_FALSE(tested.contains({example.image.get(), example.image.get() + 36}));
  EXPECT_EQ(state.tasks[0].examples, 50u);  // 60 images, of which 10 were held out
  EXPECT_EQ(state.tasks[1].examples, 55u);
}

// 36 pixels in 5 bytes, and 8 for the rest: 20 test images take 880 of the 4,400 bytes, and the
// others hold 270 coarse images.
LearnOptions options_in_bytes() {
  LearnOptions options = tiny_options("er", "mixed");
  options.memory_bytes = 4400;
  options.method.codec = "bits:1";
  settle(options);
  return options;
}

TEST(Learn, KeepsToABudgetInBytes) {
  LearnState state(options_in_bytes());
  EXPECT_EQ(state.memory.capacity(), 270u);
  EXPECT_EQ(state.tests.capacity(), 20u);
  Executor executor(1);
  for (int k = 1; k <= 5; ++k) {
    learn(state, week(k), executor);
    EXPECT_LE(state.memory.bytes(0) + state.tests.bytes(0), 4400u);
  }
  EXPECT_GT(state.memory.size(), 200u);
  EXPECT_TRUE(state.tests.keeps_pixels()) << "what is tested on is not coarse";
  EXPECT_GT(accuracy_among_all(state, 10), 0.5) << "more than without a memory";
}

// With one bit a pixel an image takes 13 bytes, and its logits 4 for each of 2, 4, …, 10 classes.
TEST(Learn, CountsLogitsInABudgetInBytesAsClassesArrive) {
  LearnOptions options = tiny_options("der++", "mixed");
  options.memory_bytes = 4400;
  options.method.codec = "bits:1";
  settle(options);
  LearnState state(options);
  Executor executor(1);
  for (std::size_t k = 1; k <= 5; ++k) {
    learn(state, week(static_cast<int>(k)), executor);
    const std::size_t outputs = state.learner->classes();
    EXPECT_EQ(outputs, 2 * k);
    EXPECT_EQ(state.memory.capacity(), 3520 / (13 + 4 * outputs));
    EXPECT_LE(state.memory.bytes(outputs) + state.tests.bytes(0), 4400u);
    std::size_t least = state.memory.size();
    for (int task = 1; task <= static_cast<int>(k); ++task)
      least = std::min(least, state.memory.count(task));
    EXPECT_GE(least, std::min<std::size_t>(state.memory.capacity() / k, 40)) << "an equal share";
    const std::string bytes = to_bytes(state);
    state = state_from(bytes, "");
    EXPECT_EQ(to_bytes(state), bytes);
  }
}

TEST(Learn, RefusesClassesWhoseLogitsLeaveNoRoomForAnImage) {
  LearnOptions options = tiny_options("der", "mixed");
  options.memory_bytes = 44;  // 36 pixels and 8 bytes
  options.held_out = 0;
  settle(options);
  LearnState state(options);
  Executor executor(1);
  try {
    learn(state, week(1), executor);
    ADD_FAILURE();
  } catch (const OptionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("must be at least 52B, got 44B"));
  }
}

TEST(Learn, ReadsBackAStateWithCoarseImages) {
  LearnState state = after_weeks(options_in_bytes(), 2);
  const std::string bytes = to_bytes(state);
  LearnState again = state_from(bytes, "");
  EXPECT_EQ(to_bytes(again), bytes);
  Executor executor(1);
  learn(state, week(3), executor);
  learn(again, week(3), executor);
  EXPECT_EQ(to_bytes(again), to_bytes(state));
}

TEST(Learn, DoesNotTestOnWhatItReplaysAsCoarseImages) {
  LearnState state = after_weeks(options_in_bytes(), 1);
  NewTask task = week(1);
  task.test = task.train;
  Executor executor(1);
  const LearnReport report = learn(state, task, executor);
  EXPECT_GE(report.not_tested, state.memory.count(1)) << "all that was replayed";
}

TEST(Learn, DoesNotDependOnTheLabelsOfWhatItTestsOn) {
  // What is tested given apart: the network is the same whatever its labels are.
  Executor executor(1);
  LearnState a(tiny_options());
  LearnState b(tiny_options());
  NewTask task = week(1);
  task.test = testing::tiny_dataset(2, 10, 5);
  learn(a, task, executor);
  std::vector<Label> wrong(20, 0);
  std::vector<std::uint8_t> bytes(20 * 36, 7);
  task.test = Dataset({1, 6, 6}, bytes, wrong, 2);
  learn(b, task, executor);
  EXPECT_EQ(network_of(*a.learner).parameters(), network_of(*b.learner).parameters());
  EXPECT_EQ(a.tasks[0].examples, 60u);
  EXPECT_EQ(a.tasks[0].tested, 20u);
}

TEST(Learn, SharesTheTestsAmongTasksAndTheirClasses) {
  const LearnState state = after_weeks(tiny_options("er", "mixed", 100), 5);
  std::map<std::pair<int, Label>, int> counts;
  for (const Example& example : state.tests.examples()) ++counts[{example.task, example.label}];
  EXPECT_EQ(state.tests.size(), 20u);
  EXPECT_EQ(counts.size(), 10u);
  for (const auto& [key, count] : counts) EXPECT_EQ(count, 2);
  EXPECT_EQ(state.memory.size(), 80u);
}

TEST(Learn, TellsWhatWasThereBeforeAndNowOnTheSameExamples) {
  Executor executor(1);
  LearnState state(tiny_options("sgd"));
  learn(state, week(1), executor);
  const Dataset examples = [&] {
    std::vector<std::uint8_t> bytes;
    std::vector<Label> labels;
    for (const Example& example : state.tests.examples()) {
      bytes.insert(bytes.end(), example.image.get(), example.image.get() + 36);
      labels.push_back(example.label);
    }
    return Dataset({1, 6, 6}, bytes, labels, 2);
  }();
  const Tested before = test(state, examples, labels_in(examples));
  const LearnReport report = learn(state, week(2), executor);
  const Tested now = test(state, examples, labels_in(examples));
  ASSERT_EQ(report.scores.size(), 2u);
  EXPECT_EQ(report.scores[0].examples, examples.size());
  ASSERT_TRUE(report.scores[0].before);
  EXPECT_EQ(report.scores[0].before->accuracy, before.accuracy);
  EXPECT_EQ(report.scores[0].before->among_all, before.among_all);
  EXPECT_EQ(report.scores[0].now.among_all, now.among_all);
  EXPECT_LT(now.among_all, before.among_all) << "without a memory the first week is forgotten";
  EXPECT_FALSE(report.scores[1].before) << "its classes were not known";
}

TEST(Learn, TakesNewExamplesOfKnownClasses) {
  Executor executor(1);
  LearnState state(tiny_options());
  learn(state, week(1), executor);
  const std::size_t outputs = network_of(*state.learner).classes();
  const LearnReport report = learn(state, week(2, 0, 2), executor);
  EXPECT_TRUE(report.new_classes.empty());
  EXPECT_EQ(network_of(*state.learner).classes(), outputs);
  ASSERT_EQ(report.scores.size(), 2u);
  EXPECT_TRUE(report.scores[1].before) << "how it did before it learnt tells of drift";
  const LearnReport both = learn(state, week(3, 0, 4), executor);
  EXPECT_EQ(both.new_classes, (std::vector<std::string>{"class 2", "class 3"}));
}

TEST(Learn, TakesANewLearningRateWithKnownClassesToo) {
  Executor executor(1);
  LearnState state(tiny_options());
  learn(state, week(1), executor);
  const std::vector<float> before = network_of(*state.learner).state();
  state.options.method.learner.learning_rate = 1e-30f;
  learn(state, week(2, 0, 2), executor);
  EXPECT_THAT(network_of(*state.learner).state(),
              ::testing::Pointwise(::testing::FloatNear(1e-20f), before))
      << "steps of no length";
}

TEST(Learn, WithIcarlRefusesKnownClasses) {
  Executor executor(1);
  LearnState state(tiny_options("icarl"));
  learn(state, week(1), executor);
  EXPECT_THROW(learn(state, week(2, 1, 3), executor), UsageError);
}

TEST(Learn, RefusesANewClassWithoutAnImageToLearnFrom) {
  Executor executor(1);
  LearnState state(tiny_options());
  NewTask task = week(1, 0, 2);
  task.classes.emplace_back("class 2");
  task.test = testing::tiny_dataset(3, 5);
  EXPECT_THROW(learn(state, task, executor), UsageError);
}

TEST_P(Deployed, FindsRoomForNewTasksHoweverManyThereAre) {
  const auto& [learner, policy] = GetParam();
  if (!refusal(learner, policy).empty()) return;
  LearnOptions options = tiny_options(learner, policy, 30);
  options.method.training.epochs = 1;
  options.method.policy.settings["score_examples"] = 2;
  LearnState state(options);
  Executor executor(1);
  // Gradients of the same classes are alike, and `gradient` stores none that are.
  const bool wants_new_classes = learner == "icarl" || policy == "gradient";
  std::set<int> stored;  // tasks of which something was stored when they had been learnt
  for (int k = 1; k <= 40; ++k) {
    learn(state, wants_new_classes ? week(k) : week(k, 0, 2, 6), executor);
    EXPECT_LE(state.memory.size(), 24u);
    if (state.memory.count(k) > 0) stored.insert(k);
    EXPECT_GT(state.tests.count(k), 0u);
    EXPECT_EQ(state.tests.examples().front().task, 1) << "the first weeks are tested yet";
  }
  if (!replays(learner)) return;
  EXPECT_EQ(state.memory.size(), 24u);
  EXPECT_GE(stored.size(), has_lasting_state(options.method.policy) ? 8u : 40u);
  EXPECT_GE(*stored.rbegin(), 20);
}

TEST(Learn, KeepsAsManyClassesOfManyWeeksAsThereIsRoomFor) {
  for (const char* policy : {"mixed", "mixed:0", "ring-full", "gps"}) {
    LearnOptions options = tiny_options("er", policy, 100);
    options.method.training.epochs = 1;
    options.method.policy.settings["score_examples"] = 2;
    LearnState state(options);
    Executor executor(1);
    for (int k = 1; k <= 30; ++k) learn(state, week(k, 2 * k - 2, 2 * k, 6), executor);
    std::set<Label> classes;
    for (const Example& example : state.memory.examples()) classes.insert(example.label);
    EXPECT_GE(classes.size(), 50u) << policy << ": 80 slots for 60 classes";
    std::vector<int> spans;
    for (const TaskGroup& group : replayed_groups(state))
      spans.push_back(group.last - group.first + 1);
    EXPECT_EQ(spans.size(), 16u);
    EXPECT_LE(*std::max_element(spans.begin(), spans.end()), 4) << "30 weeks in 16 groups";
  }
}

TEST(Learn, NeverTrainsOnATestThatComesAgain) {
  Executor executor(1);
  LearnState state(tiny_options("er", "reservoir"));
  learn(state, week(1), executor);
  // All of the first week once more, and something new.
  const LearnReport again = learn(state, week(1), executor);
  EXPECT_EQ(again.not_trained, 10u) << "those held out the first time";
  const std::set<std::vector<std::uint8_t>> tested = images_of(state.tests);
  for (const auto& image : images_of(state.memory)) EXPECT_FALSE(tested.contains(image));
  EXPECT_EQ(tested.size(), 10u) << "no image twice";
}

// What was trained on is known by heart and tells nothing, whether or not it is still stored.
TEST(Learn, NeverTestsOnWhatItTrainedOnInAnyCall) {
  Executor executor(1);
  LearnState state(tiny_options("sgd"));
  learn(state, week(1), executor);
  state = state_from(to_bytes(state), "");
  EXPECT_EQ(state.trained.count(week(1).train), 50u) << "all but those that were held out";
  const LearnReport again = learn(state, week(1), executor);
  EXPECT_EQ(again.trained, 50u);
  EXPECT_EQ(again.trained_before, 50u);
  EXPECT_EQ(state.tasks.back().tested, 0u) << "nothing is left to hold out";

  // Of a test part, those count that were held out the first time.
  NewTask other = week(3, 0, 2);
  other.test = week(1).train;
  const LearnReport report = learn(state, other, executor);
  EXPECT_EQ(report.not_tested, 50u);
  EXPECT_EQ(report.scores.back().examples, 10u);
}

TEST(Learn, KnowsOfTheStoredImagesOfAnOlderStateThatTheyWereTrainedOn) {
  LearnState state = after_weeks(tiny_options("er", "reservoir"), 1);
  EXPECT_EQ(state.trained.count(week(1).train), 50u);
  for (const std::uint32_t format : {1u, 4u}) {
    const LearnState older = state_from(to_bytes(state, format), "", format);
    EXPECT_EQ(older.trained.count(week(1).train), 40u) << "the replayed ones, in format " << format;
  }
}

TEST(Learn, DropsTheCopiesOfWhatItHoldsOut) {
  // Every image twice.
  NewTask task = week(1);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < 60; ++row) rows.insert(rows.end(), {row, row});
  task.train = task.train.subset(rows);
  Executor executor(1);
  LearnState state(tiny_options("er", "reservoir"));
  const LearnReport report = learn(state, task, executor);
  const std::size_t held = images_of(state.tests).size();
  EXPECT_EQ(report.trained, 120 - 2 * held);
  EXPECT_EQ(report.not_trained, 120 - 10 - report.trained);
  // A class of nothing but copies is learnt and not tested.
  NewTask copies = week(2);
  copies.classes = {"class 0", "class 1", "copy"};
  copies.train = Dataset({1, 6, 6}, std::vector<std::uint8_t>(std::size_t{4} * 36, 9),
                         std::vector<Label>(4, 2), 3);
  EXPECT_EQ(learn(state, copies, executor).trained, 4u);
  EXPECT_EQ(state.tasks.back().tested, 0u);
}

TEST(Learn, TrainsOnNothingOfItsTestPart) {
  Executor executor(1);
  LearnState state(tiny_options());
  NewTask task = week(1);
  task.test = task.train.subset(std::vector<std::uint32_t>{0, 1, 2});
  const LearnReport report = learn(state, task, executor);
  EXPECT_EQ(report.trained, 57u);
  EXPECT_EQ(report.not_trained, 3u);
  task.test = task.train;
  LearnState other(tiny_options());
  EXPECT_THROW(learn(other, task, executor), DataError);
}

TEST(Learn, TestsATaskOnItsOwnClassesOnly) {
  Executor executor(1);
  LearnState state(tiny_options());
  learn(state, week(1), executor);
  NewTask task = week(2);
  task.test = testing::tiny_dataset(4, 10, 5);  // of the first week's classes too
  const LearnReport report = learn(state, task, executor);
  EXPECT_EQ(report.not_tested, 20u);
  EXPECT_EQ(report.scores.back().examples, 20u);
  EXPECT_GT(report.scores.back().now.accuracy, 0.8);
}

TEST(Learn, HoldsOutNoMoreThanTheShareOfAClassButOneOfTwo) {
  Executor executor(1);
  LearnState state(tiny_options("er", "mixed", 500));
  NewTask task = week(1);
  task.train = testing::tiny_dataset({10, 2}, 1);
  EXPECT_EQ(learn(state, task, executor).trained, 9u) << "2 of 10 and 1 of 2";
  EXPECT_EQ(state.tests.size(), 3u);
}

TEST(Learn, KnowsTheDataOfATaskAgain) {
  Executor executor(1);
  LearnState state(tiny_options());
  learn(state, week(1), executor);
  EXPECT_EQ(state.tasks[0].data, fingerprint(week(1)));
  EXPECT_NE(fingerprint(week(1)), fingerprint(week(1, 0, 2, 29)));
  NewTask renamed = week(1);
  renamed.classes[1] = "other";
  EXPECT_NE(fingerprint(week(1)), fingerprint(renamed));
  EXPECT_EQ(state_from(to_bytes(state), "").tasks[0].data, state.tasks[0].data);
  EXPECT_EQ(learnt_as(state, week(1)), 1);
  EXPECT_EQ(learnt_as(state, week(2)), std::nullopt);
  learn(state, week(2), executor);
  EXPECT_EQ(learnt_as(state, week(1)), 1) << "also if it is not the last one";
  EXPECT_EQ(state_from(to_bytes(state, 1), "", 1).tasks[0].data, "") << "format 1 had none";
}

TEST(Learn, WithoutATestShareTestsNothing) {
  LearnOptions options = tiny_options();
  options.held_out = 0;
  settle(options);
  Executor executor(1);
  LearnState state(options);
  const LearnReport report = learn(state, week(1), executor);
  EXPECT_EQ(report.trained, 60u);
  EXPECT_TRUE(report.scores.empty());
  EXPECT_EQ(state.tests.size(), 0u);
}

TEST(Learn, AStateIsHardlyLargerThanItsMemoryAndItsWeights) {
  LearnOptions options = tiny_options("er", "gps", 200);
  options.shape = {1, 28, 28};
  options.method.network.hidden = {100, 100};
  options.method.training.epochs = 1;
  settle(options);
  Executor executor(1);
  for (const char* learner : {"er", "der++", "icarl"}) {
    options.method.learner.name = learner;
    LearnState state(options);
    for (int k = 1; k <= 3; ++k) {
      NewTask task = week(k);
      std::vector<std::size_t> counts(static_cast<std::size_t>(2 * k), 0);
      counts[static_cast<std::size_t>(2 * k - 1)] = counts[static_cast<std::size_t>(2 * k - 2)] =
          150;
      task.train = testing::tiny_dataset(counts, 1, 28);
      learn(state, task, executor);
    }
    EXPECT_EQ(state.memory.size() + state.tests.size(), 200u);
    std::size_t content = 200 * 784 + 4 * network_of(*state.learner).parameters().size();
    if (state.learner->stores_logits()) content += 160 * 4 * 6;
    const std::size_t hashes = 8 * state.trained.size();
    EXPECT_LT(static_cast<double>(to_bytes(state).size() - hashes),
              1.1 * static_cast<double>(content))
        << learner;
  }
}

}  // namespace learn_test
}  // namespace gps
