#include "gps/training/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>

#include "gps/data/transforms.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "support/passing_learner.h"
#include "support/tiny_data.h"

namespace gps {
namespace evaluate_test {

// One pixel, two classes, no hidden layer: the logits are (x, 1/2), where x is 0 or 1.
FusedMlp threshold_network() {
  FusedMlp network({1, 2}, Initialisation::xavier, Rng(1));
  network.set_parameters(std::vector<float>{1, 0, 0, 0.5f});
  return network;
}

struct Pixel {
  std::uint8_t value;
  Label label;
};

Dataset images(const std::vector<Pixel>& pixels, int classes = 2) {
  std::vector<std::uint8_t> bytes;
  std::vector<Label> labels;
  for (const Pixel& pixel : pixels) {
    bytes.push_back(pixel.value);
    labels.push_back(pixel.label);
  }
  return {{1, 1, 1}, bytes, labels, classes};
}

// -log softmax of the larger and of the smaller of two logits that differ by 1/2.
const double kLossIfRight = std::log(1 + std::exp(-0.5));
const double kLossIfWrong = std::log(1 + std::exp(0.5));

TEST(Evaluate, CountsEveryExampleOnce) {
  FusedMlp network = threshold_network();
  // White is taken for class 0, black for class 1: two of class 0 right and one wrong, one of
  // class 1 right.
  const Evaluation end = evaluate(network, images({{255, 0}, {255, 0}, {0, 0}, {0, 1}}));
  EXPECT_DOUBLE_EQ(end.accuracy, 3.0 / 4);
  EXPECT_NEAR(end.loss, (3 * kLossIfRight + kLossIfWrong) / 4, 1e-6);
}

TEST(Evaluate, CountsTheAnswersByLabel) {
  FusedMlp network = threshold_network();
  const Dataset four = images({{255, 0}, {255, 0}, {255, 1}, {0, 1}});
  EXPECT_EQ(evaluate(network, four).predicted, (std::vector<std::size_t>{3, 1}));
  const std::vector<Label> mask = {1};
  const Dataset two = images({{255, 1}, {0, 1}});
  EXPECT_EQ(evaluate(network, two, mask).predicted, (std::vector<std::size_t>{0, 2}))
      << "what the mask leaves";
}

TEST(Evaluate, AveragesOverTheClassesToo) {
  FusedMlp network = threshold_network();
  const Evaluation end = evaluate(network, images({{255, 0}, {255, 0}, {0, 0}, {0, 1}}));
  EXPECT_DOUBLE_EQ(end.class_accuracy, (2.0 / 3 + 1) / 2);
  EXPECT_NEAR(end.class_loss, ((2 * kLossIfRight + kLossIfWrong) / 3 + kLossIfRight) / 2, 1e-6);
}

TEST(Evaluate, AveragesOverThePresentClassesOnly) {
  FusedMlp network = threshold_network();
  const Evaluation end = evaluate(network, images({{255, 0}, {0, 0}}));
  EXPECT_DOUBLE_EQ(end.class_accuracy, 0.5);
  EXPECT_NEAR(end.class_loss, (kLossIfRight + kLossIfWrong) / 2, 1e-6);
}

TEST(Evaluate, DoesNotDependOnHowManyExamplesThereAre) {
  FusedMlp network = threshold_network();
  const Dataset four = images({{255, 0}, {255, 0}, {0, 0}, {0, 1}});
  const Evaluation expected = evaluate(network, four);
  // Around the sizes at which examples are worked on in chunks.
  for (const std::size_t copies : {15U, 16U, 17U, 63U, 64U, 65U, 128U, 200U}) {
    std::vector<std::uint32_t> rows;
    for (std::size_t k = 0; k < copies; ++k) rows.insert(rows.end(), {0, 1, 2, 3});
    const Evaluation end = evaluate(network, four.subset(rows));
    EXPECT_DOUBLE_EQ(end.accuracy, expected.accuracy);
    EXPECT_NEAR(end.loss, expected.loss, 1e-6);
    EXPECT_DOUBLE_EQ(end.class_accuracy, expected.class_accuracy);
    EXPECT_NEAR(end.class_loss, expected.class_loss, 1e-6);
  }
}

TEST(Evaluate, SeesTheRearrangedPixels) {
  FusedMlp network({2, 2}, Initialisation::xavier, Rng(1));
  // The first pixel speaks for class 0, the second for class 1.
  network.set_parameters(std::vector<float>{1, 0, 0, 1, 0, 0});
  const Dataset data({1, 1, 2}, {255, 0, 0, 255}, {0, 1}, 2);
  EXPECT_DOUBLE_EQ(evaluate(network, data).accuracy, 1);
  EXPECT_DOUBLE_EQ(evaluate(network, data.rearranged({1, 0})).accuracy, 0);
}

TEST(Evaluate, StaysFiniteForHugeLogits) {
  FusedMlp network({1, 2}, Initialisation::xavier, Rng(1));
  network.set_parameters(std::vector<float>{1e4f, -1e4f, 0, 0});
  EXPECT_NEAR(evaluate(network, images({{255, 0}})).loss, 0, 1e-6);
  EXPECT_NEAR(evaluate(network, images({{255, 1}})).loss, 2e4, 1);
}

// Three classes whose logits are those of the white pixel, (3, 1, 2), or of the black one, (0, 1,
// 4).
FusedMlp three_class_network() {
  FusedMlp network({1, 3}, Initialisation::xavier, Rng(1));
  network.set_parameters(std::vector<float>{3, 0, -2, 0, 1, 4});
  return network;
}

TEST(EvaluateMasked, CountsTheLogitsOfTheMaskOnly) {
  FusedMlp network = three_class_network();
  // White of class 1 and black of class 1: the other classes have larger logits in both. Within
  // {0, 1}, white is still taken for class 0, and black for class 1.
  const Dataset data = images({{255, 1}, {0, 1}}, 3);
  const std::vector<Label> mask = {0, 1};
  const Evaluation end = evaluate(network, data, mask);
  EXPECT_DOUBLE_EQ(end.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(end.class_accuracy, 0.5);
  EXPECT_DOUBLE_EQ(end.unmasked_accuracy, 0);
  // The softmax is over the mask too: logits 2 apart, then 1 apart.
  const double expected = (std::log(1 + std::exp(2)) + std::log(1 + std::exp(-1))) / 2;
  EXPECT_NEAR(end.loss, expected, 1e-6);
  EXPECT_NEAR(end.class_loss, expected, 1e-6);
}

TEST(EvaluateMasked, IsTheSameAsUnmaskedWhereAllLabelsAreInTheMask) {
  FusedMlp network = three_class_network();
  const Dataset data = images({{255, 0}, {255, 1}, {0, 1}, {0, 2}}, 3);
  const Evaluation plain = evaluate(network, data);
  EXPECT_DOUBLE_EQ(plain.accuracy, 0.5);
  EXPECT_EQ(plain.unmasked_accuracy, plain.accuracy);
  const std::vector<Label> mask = {2, 0, 1};
  const Evaluation masked = evaluate(network, data, mask);
  EXPECT_EQ(masked.accuracy, plain.accuracy);
  EXPECT_EQ(masked.class_accuracy, plain.class_accuracy);
  EXPECT_EQ(masked.unmasked_accuracy, plain.accuracy);
  EXPECT_EQ(masked.loss, plain.loss);
  EXPECT_EQ(masked.class_loss, plain.class_loss);
}

TEST(EvaluateMasked, OneLabelIsAlwaysRight) {
  FusedMlp network = three_class_network();
  const std::vector<Label> mask = {1};
  const Evaluation end = evaluate(network, images({{255, 1}, {0, 1}}, 3), mask);
  EXPECT_DOUBLE_EQ(end.accuracy, 1);
  EXPECT_DOUBLE_EQ(end.loss, 0);
  EXPECT_DOUBLE_EQ(end.unmasked_accuracy, 0);
}

TEST(EvaluateMasked, IsNeverWorseThanUnmasked) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    FusedMlp network({16, 6}, Initialisation::xavier, Rng(seed));
    const Dataset data = testing::tiny_dataset({0, 0, 20, 20, 0, 20}, seed, /*side=*/4);
    const std::vector<Label> mask = {2, 3, 5};
    const Evaluation end = evaluate(network, data, mask);
    EXPECT_GE(end.accuracy, end.unmasked_accuracy);
    EXPECT_EQ(end.unmasked_accuracy, evaluate(network, data).accuracy);
    EXPECT_LE(end.loss, evaluate(network, data).loss);
  }
}

TEST(EvaluateMasked, BreaksTiesAsUnmasked) {
  FusedMlp network({1, 3}, Initialisation::xavier, Rng(1));
  network.set_parameters(std::vector<float>(6, 0));  // all logits are equal
  const Dataset data = images({{255, 1}, {255, 2}}, 3);
  for (const std::vector<Label>& mask : {std::vector<Label>{1, 2}, std::vector<Label>{2, 1}}) {
    EXPECT_DOUBLE_EQ(evaluate(network, data, mask).accuracy, 0.5);
  }
}

TEST(Evaluate, StopsWhenAskedTo) {
  FusedMlp network = threshold_network();
  StopFlag stop;
  EXPECT_NO_THROW(evaluate(network, images({{255, 0}}), {}, &stop));
  stop.request();
  EXPECT_THROW(evaluate(network, images({{255, 0}}), {}, &stop), Interrupted);
}

TEST(Evaluate, LeavesTheNetworkAsItIs) {
  FusedMlp network = threshold_network();
  const auto before = network.parameters();
  evaluate(network, images({{255, 0}, {0, 1}}));
  EXPECT_EQ(network.parameters(), before);
}

// Several sets, among them large ones, one image, rearranged pixels and a mask.
std::vector<TestSet> several_sets() {
  const Dataset data = testing::tiny_dataset(4, 700, 3);
  const std::vector<std::uint32_t> one = {5};
  std::vector<std::uint32_t> low;
  for (std::uint32_t row = 0; row < data.size(); ++row) {
    if (data.label(row) < 2) low.push_back(row);
  }
  return {{data, {}},
          {data.subset(one), {}},
          {data.rearranged(random_pixel_map(data.shape(), Rng(4))), {}},
          {data.subset(low), {0, 1}}};
}

// A learner that has ended a task, so that iCaRL predicts by its means.
std::unique_ptr<Learner> taught(const std::string& name) {
  LearnerOptions options;
  options.name = name;
  auto learner =
      make_learner(options, std::make_unique<FusedMlp>(std::vector<std::size_t>{36, 12, 4},
                                                       Initialisation::xavier, Rng(1)));
  const Task task{1, testing::tiny_dataset(4, 10, 1)};
  Memory memory(20, task.train.shape().bytes());
  Batch batch;
  for (std::uint32_t row = 0; row < 20; ++row) {
    batch.gather(task, {&row, 1});
    memory.add(memory.make_example(batch, 0, Part::ring));
  }
  learner->end_task(task, memory, Rng(2));
  return learner;
}

void expect_equal(const Evaluation& one, const Evaluation& other) {
  EXPECT_EQ(one.accuracy, other.accuracy);
  EXPECT_EQ(one.class_accuracy, other.class_accuracy);
  EXPECT_EQ(one.loss, 0) << "left out";
  EXPECT_EQ(one.class_loss, 0) << "left out";
  EXPECT_EQ(one.unmasked_accuracy, other.unmasked_accuracy);
  EXPECT_EQ(one.predicted, other.predicted);
}

void expect_as_alone(Learner& learner, Executor& executor) {
  const std::vector<TestSet> tests = several_sets();
  const std::vector<Evaluation> together = evaluate_accuracies(learner, tests, executor);
  ASSERT_EQ(together.size(), tests.size());
  for (std::size_t t = 0; t < tests.size(); ++t)
    expect_equal(together[t], evaluate(learner, tests[t].examples, tests[t].labels));
}

TEST(EvaluateAccuracies, GivesTheBitsOfEachSetAloneForAnyNumberOfWorkers) {
  for (const char* name : {"er", "icarl", "hal", "ogd", "gdumb"}) {
    const auto learner = taught(name);
    for (const int workers : {1, 2, 4}) {
      Executor executor(workers);
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(workers));
      expect_as_alone(*learner, executor);
    }
  }
}

TEST(EvaluateAccuracies, WorksInsideOtherWork) {
  Executor executor(2);
  std::atomic<int> done = 0;
  executor.for_each(3, [&](std::size_t) {
    const auto learner = taught("er");
    expect_as_alone(*learner, executor);
    ++done;
  });
  EXPECT_EQ(done, 3);
}

class CountsCopies final : public testing::PassingLearner {
 public:
  using PassingLearner::PassingLearner;
  std::unique_ptr<Learner> clone() const override {
    ++copies;
    if (has_no_memory) throw std::bad_alloc();
    return inner_->clone();
  }
  mutable std::atomic<int> copies = 0;
  bool has_no_memory = false;
};

TEST(EvaluateAccuracies, MakesNoCopyForOneWorker) {
  CountsCopies learner(taught("er"));
  Executor executor(1);
  expect_as_alone(learner, executor);
  EXPECT_EQ(learner.copies, 0);
}

TEST(EvaluateAccuracies, MakesAtMostOneCopyForEachWorker) {
  CountsCopies learner(taught("er"));
  Executor executor(3);
  expect_as_alone(learner, executor);
  EXPECT_LE(learner.copies, 3);
}

TEST(EvaluateAccuracies, GoesOnWithoutMemoryForCopies) {
  CountsCopies learner(taught("er"));
  learner.has_no_memory = true;
  Executor executor(3);
  expect_as_alone(learner, executor);
}

TEST(EvaluateAccuracies, OfNothingIsNothing) {
  const auto learner = taught("er");
  Executor executor(2);
  EXPECT_TRUE(evaluate_accuracies(*learner, std::span<const TestSet>(), executor).empty());
}

TEST(EvaluateAccuracies, TellsHowManyImagesAreDone) {
  const auto learner = taught("er");
  const std::vector<TestSet> tests = several_sets();
  std::size_t all = 0;
  for (const TestSet& test : tests) all += test.examples.size();
  for (const int workers : {1, 3}) {
    Executor executor(workers);
    std::vector<std::size_t> told;
    evaluate_accuracies(*learner, tests, executor, nullptr,
                        [&](std::size_t images) { told.push_back(images); });
    ASSERT_GE(told.size(), tests.size()) << "at least once for each set";
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_EQ(told.back(), all);
  }
}

TEST(EvaluateAccuracies, StopsWhenAskedTo) {
  const auto learner = taught("er");
  StopFlag stop;
  stop.request();
  for (const int workers : {1, 3}) {
    Executor executor(workers);
    EXPECT_THROW(evaluate_accuracies(*learner, several_sets(), executor, &stop), Interrupted);
  }
}

// Logits (w·x, 0) of one white pixel of class `label`.
Evaluation with_weight(float weight, Label label, bool with_loss) {
  LearnerOptions options;
  auto network =
      std::make_unique<FusedMlp>(std::vector<std::size_t>{1, 2}, Initialisation::xavier, Rng(1));
  network->set_parameters(std::vector<float>{weight, 0, 0, 0});
  const auto learner = make_learner(options, std::move(network));
  const TestSet test{images({{255, label}})};
  if (with_loss) return evaluate(*learner, test.examples);
  Executor executor(1);
  return evaluate_accuracies(*learner, {&test, 1}, executor).front();
}

TEST(EvaluateAccuracies, HaveAFiniteLossWhereThereIsOne) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float weight : {1.0f, -1e30f, 3e38f, kInfinity, -kInfinity, std::nanf("")}) {
    for (const Label label : {Label{0}, Label{1}}) {
      EXPECT_EQ(std::isfinite(with_weight(weight, label, false).loss),
                std::isfinite(with_weight(weight, label, true).loss))
          << weight << ", class " << label;
    }
  }
}

}  // namespace evaluate_test
}  // namespace gps
