#include "gps/policies/policy.h"
#include "gps/training/trainer.h"
#include "learners/tiny_step.h"

namespace gps {
namespace icarl_test {

using Floats = std::vector<float>;

class Icarl : public testing::TinyStep {
 protected:
  // The batch's rows and then the memory's, as a step sees them up to their order.
  Icarl() : images(batch.images), labels(batch.labels) {
    options.name = "icarl";
    images.insert(images.end(), memory_images.begin(), memory_images.end());
    labels.insert(labels.end(), memory_labels.begin(), memory_labels.end());
  }

  Floats one_hot() const {
    Floats targets(labels.size() * kClasses);
    for (std::size_t r = 0; r < labels.size(); ++r) targets[r * kClasses + labels[r]] = 1;
    return targets;
  }

  // Adds the gradient of the sigmoid cross entropy with these targets; returns the loss.
  double accumulate(Network& net, const Floats& targets) const {
    const LossTerm term{0, {}, 1, Loss::sigmoid_cross_entropy, targets, kClasses};
    return net.accumulate(images, {&term, 1});
  }

  // Only some classes of the task, with their labels.
  static Task part_of(const Task& whole, std::vector<Label> wanted) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < whole.train.size(); ++i) {
      if (std::find(wanted.begin(), wanted.end(), whole.train.label(i)) != wanted.end())
        rows.push_back(i);
    }
    return {whole.number, whole.train.subset(rows)};
  }

  std::vector<const std::uint8_t*> images;
  std::vector<Label> labels;
};

TEST_F(Icarl, LearnsOneHotLabelsInTheFirstTask) {
  const auto icarl = make_learner(options, network());
  const auto reference = network();
  const double loss = accumulate(*reference, one_hot());
  EXPECT_NEAR(icarl->observe(batch, memory, rng), loss, 1e-6);
  expect_close(network_of(*icarl).parameters(), stepped(*reference, options.learning_rate));
}

TEST_F(Icarl, KeepsWhatTheLastTasksNetworkSaidOfEarlierClasses) {
  const auto icarl = make_learner(options, network());
  icarl->end_task(part_of(task, {0}), memory, rng);
  icarl->observe(batch, memory, rng);
  const auto old = network_of(*icarl).clone();
  icarl->end_task(part_of(next, {2}), memory, rng);
  for (int step = 0; step < 3; ++step) icarl->observe(batch, memory, rng);  // old stays behind

  const auto reference = network_of(*icarl).clone();
  Floats targets = one_hot();
  Floats said(targets.size());
  old->logits(images, said);
  for (std::size_t r = 0; r < labels.size(); ++r) {
    for (const std::size_t c : {0u, 2u})
      targets[r * kClasses + c] = 1 / (1 + std::exp(-said[r * kClasses + c]));
  }
  const double loss = accumulate(*reference, targets);
  EXPECT_NEAR(icarl->observe(batch, memory, rng), loss, 1e-6);
  expect_close(network_of(*icarl).parameters(), stepped(*reference, options.learning_rate));
}

TEST_F(Icarl, LearnsTheLabelsOfPretendedTasksOnceMore) {
  // Task 1 has ended for real; in imagination its classes come again, and are not old news.
  const auto icarl = make_learner(options, network());
  const auto imagined = icarl->imagine();
  imagined->end_task(task, memory, rng);
  const auto reference = network_of(*imagined).clone();
  accumulate(*reference, one_hot());
  imagined->observe(batch, memory, rng);
  expect_close(network_of(*imagined).parameters(), stepped(*reference, options.learning_rate));
}

TEST_F(Icarl, ShrinksTheWeightsByTheirDecay) {
  options.settings["weight_decay"] = 0.25;
  const auto icarl = make_learner(options, network());
  const auto reference = network();
  const double loss = accumulate(*reference, one_hot());
  Floats expected = stepped(*reference, options.learning_rate);
  const Floats theta = reference->parameters();
  for (std::size_t k = 0; k < theta.size(); ++k)
    expected[k] -= options.learning_rate * 2 * 0.25f * theta[k];
  EXPECT_NEAR(icarl->observe(batch, memory, rng), loss, 1e-6);
  expect_close(network_of(*icarl).parameters(), expected);
}

TEST_F(Icarl, PredictsWithTheNetworkUntilThereAreMeans) {
  const auto icarl = make_learner(options, network());
  Floats scores(images.size() * kClasses);
  Floats logits(scores.size());
  icarl->scores(images, scores);
  network_of(*icarl).logits(images, logits);
  EXPECT_EQ(scores, logits);
  icarl->end_task(task, Memory(5, kBytes), rng);  // no exemplars, no means
  icarl->scores(images, scores);
  EXPECT_EQ(scores, logits);
}

// Two tasks of two classes each: the first ones are not forgotten.
TEST(IcarlStream, PredictsTheClassesOfAllTasks) {
  const Dataset all = testing::tiny_dataset(4, 40, 1);
  const auto by_class = all.rows_by_class();
  const auto icarl = make_learner({.name = "icarl", .learning_rate = 0.5f},
                                  std::make_unique<FusedMlp>(std::vector<std::size_t>{36, 16, 4},
                                                             Initialisation::xavier, Rng(1)));
  Memory memory(20, all.shape().bytes());
  const auto policy = make_ring_full(RingQuota::deal);
  for (int number = 1; number <= 2; ++number) {
    const auto first = static_cast<std::size_t>(2 * (number - 1));
    std::vector<std::uint32_t> rows = by_class[first];
    rows.insert(rows.end(), by_class[first + 1].begin(), by_class[first + 1].end());
    const Task task{number, all.subset(rows)};
    train_task(*icarl, *policy, memory, task, {.epochs = 5, .batch = 10}, Rng(2));
    finish_task(*icarl, *policy, memory, task, Rng(2));
  }
  const Task test{0, testing::tiny_dataset(4, 25, 2)};
  Batch batch;
  Rng order(3);
  batch.gather(test, order.permutation(test.train.size()));
  Floats scores(batch.size() * 4);
  icarl->scores(batch.images, scores);
  std::vector<int> right(4);
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const auto row = scores.begin() + static_cast<std::ptrdiff_t>(4 * r);
    if (std::max_element(row, row + 4) - row == batch.labels[r]) ++right[batch.labels[r]];
  }
  // Guessing gets 6.25 of 25 right, with a deviation of 2.2; five of them make 17.
  for (const int count : right) EXPECT_GT(count, 17);
}

// Two pixels, which are the two features, and three classes.
class IcarlMeans : public ::testing::Test {
 protected:
  IcarlMeans() : memory(10, 2) {
    auto net = std::make_unique<FusedMlp>(std::vector<std::size_t>{2, 2, 3}, Initialisation::xavier,
                                          Rng(1));
    net->set_parameters(Floats{1, 0, 0, 1, 0, 0, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0, 0, 0});
    icarl = make_learner({.name = "icarl"}, std::move(net));
  }
  void remember(std::uint8_t x, std::uint8_t y, Label label, int task_number = 1) {
    const std::array<std::uint8_t, 2> image = {x, y};
    memory.add({.image = store_image(image), .label = label, .task = task_number, .id = next_id++});
  }
  Floats scores_of(std::uint8_t x, std::uint8_t y) const { return scores_of(x, y, *icarl); }
  static Floats scores_of(std::uint8_t x, std::uint8_t y, Learner& by) {
    const std::array<std::uint8_t, 2> image = {x, y};
    const std::uint8_t* row = image.data();
    Floats scores(3);
    by.scores({&row, 1}, scores);
    return scores;
  }

  Memory memory;
  std::uint32_t next_id = 0;
  std::unique_ptr<Learner> icarl;
  Task task{1, Dataset({1, 1, 2}, {255, 0, 0, 255}, {0, 1}, 3)};
};

TEST_F(IcarlMeans, AreThoseOfDirectionsAndTheNearestWins) {
  remember(255, 0, 0);
  remember(0, 100, 1);    // direction (0, 1)
  remember(200, 200, 1);  // direction (√½, √½): their mean points to 67.5 degrees
  icarl->end_task(task, memory, Rng(1));
  const Floats diagonal = scores_of(50, 50);  // 45 degrees
  EXPECT_NEAR(diagonal[0], -(2 - 2 * std::cos(M_PI / 4)), 1e-6);
  EXPECT_NEAR(diagonal[1], -(2 - 2 * std::cos(M_PI / 8)), 1e-6);
  EXPECT_EQ(diagonal[2], -5);  // no exemplars
  const Floats flat = scores_of(7, 0);
  EXPECT_NEAR(flat[0], 0, 1e-6);
  EXPECT_NEAR(flat[1], -(2 - 2 * std::cos(3 * M_PI / 8)), 1e-6);
}

TEST_F(IcarlMeans, OfABlackImageAreFinite) {
  remember(0, 0, 0);
  remember(255, 0, 1);
  icarl->end_task(task, memory, Rng(1));
  EXPECT_EQ(scores_of(0, 0), (Floats{0, -1, -5}));
}

TEST_F(IcarlMeans, AreTheMemorysAtTheEndOfTheTask) {
  remember(255, 0, 0);
  icarl->end_task(task, memory, Rng(1));
  const auto clone = icarl->clone();
  memory.retain([](const Example&) { return false; });
  remember(0, 255, 2);
  icarl->end_task(task, memory, Rng(1));
  EXPECT_EQ(scores_of(0, 255), (Floats{-5, -5, 0}));
  icarl = clone->clone();
  EXPECT_EQ(scores_of(0, 255), (Floats{-2, -5, -5}));
}

// The first task that ends in imagination is real, later ones are not, for copies of a dream too.
TEST_F(IcarlMeans, OfACopyOfADreamAreThoseOfTheDream) {
  remember(255, 0, 0);
  const auto imagined = icarl->imagine();
  imagined->end_task(task, memory, Rng(1));
  const auto copy = imagined->clone();
  remember(0, 255, 2, /*task_number=*/2);
  for (Learner* each : {imagined.get(), copy.get()}) {
    each->end_task({2, task.train}, memory, Rng(1));
    EXPECT_EQ(scores_of(0, 255, *each), (Floats{-2, -5, -5}));  // none of the pretended class 2
  }
}

}  // namespace icarl_test
}  // namespace gps
