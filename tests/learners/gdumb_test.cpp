#include <gmock/gmock.h>

#include <cmath>

#include "gps/training/trainer.h"
#include "learners/tiny_step.h"

namespace gps {
namespace gdumb_test {

using ::testing::HasSubstr;

class Gdumb : public testing::TinyStep {
 protected:
  std::unique_ptr<Learner> learner(int epochs = 3, std::uint64_t seed = 3) {
    options.settings["gdumb_epochs"] = epochs;
    return testing::make_named("gdumb", options, network(seed));
  }

  static std::vector<float> theta(const Learner& of) { return network_of(of).parameters(); }

  // A memory with these rows of the second task.
  Memory memory_with(const std::vector<std::uint32_t>& rows) const {
    Memory other(20, kBytes);
    Batch one;
    for (const std::uint32_t row : rows) {
      one.gather(next, {&row, 1});
      other.add(other.make_example(one, 0, Part::ring));
    }
    return other;
  }
};

TEST_F(Gdumb, LearnsNothingWhileATaskIsPresented) {
  const auto made = learner();
  const std::vector<float> before = theta(*made);
  const auto policy = make_reservoir();
  const std::size_t steps =
      train_task(*made, *policy, memory, task, {.epochs = 2, .batch = 4}, Rng(1));
  EXPECT_EQ(steps, 12u);
  EXPECT_EQ(theta(*made), before);
  EXPECT_EQ(made->observe(batch, memory, rng), 0);
  EXPECT_EQ(theta(*made), before);
  made->end_task(task, memory, rng);
  EXPECT_NE(theta(*made), before);
  const std::vector<float> learnt = theta(*made);
  made->observe(batch, memory, rng);
  EXPECT_EQ(theta(*made), learnt);
}

TEST_F(Gdumb, OnePassOfOneBatchIsOneStepOnTheWholeMemory) {
  const auto made = learner(/*epochs=*/1);
  const auto by_hand = network();
  const LossTerm loss{0, memory_labels, 1};
  by_hand->accumulate(memory_images, {&loss, 1});
  made->end_task(task, memory, rng);
  expect_close(theta(*made), stepped(*by_hand, options.learning_rate));
}

// Of three steps, the second is half-way along the cosine: at the mean of 1 and 1/100.
TEST_F(Gdumb, ItsLearningRateFallsAlongACosine) {
  const auto made = learner(/*epochs=*/3);
  const auto by_hand = network();
  const LossTerm loss{0, memory_labels, 1};
  for (const float share : {1.0f, 0.505f, 0.01f})
    by_hand->step(memory_images, {&loss, 1}, share * options.learning_rate);
  made->end_task(task, memory, rng);
  expect_close(theta(*made), by_hand->parameters());
}

TEST_F(Gdumb, KnowsTheMemoryAndNothingThatCameBefore) {
  const auto alone = learner();
  alone->end_task(next, memory_with({0, 1, 2}), Rng(7));

  const auto later = learner();
  const auto policy = make_reservoir();
  Memory other(8, kBytes);
  train_task(*later, *policy, other, task, {.epochs = 2, .batch = 4}, Rng(1));
  finish_task(*later, *policy, other, task, Rng(1));
  EXPECT_NE(theta(*later), theta(*alone));
  later->end_task(next, memory_with({0, 1, 2}), Rng(7));
  EXPECT_EQ(theta(*later), theta(*alone));

  later->end_task(next, memory_with({0, 1, 3}), Rng(7));
  EXPECT_NE(theta(*later), theta(*alone));
}

TEST_F(Gdumb, WithAnEmptyMemoryHasItsFirstWeights) {
  const auto made = learner();
  const std::vector<float> first = theta(*made);
  made->end_task(task, memory, rng);
  made->end_task(next, Memory(20, kBytes), rng);
  EXPECT_EQ(theta(*made), first);
}

TEST_F(Gdumb, SeesEachExampleOnceInEachPass) {
  options.memory_batch = 4;  // six examples: a batch of four, and one of two
  const auto made = learner(/*epochs=*/1);
  const auto by_hand = network();
  const auto order = rng.fork("order", 1).permutation(memory.size());
  const std::vector<float> rates = {options.learning_rate, 0.01f * options.learning_rate};
  std::size_t at = 0;
  for (const std::size_t count : {4u, 2u}) {
    std::vector<const std::uint8_t*> images;
    std::vector<Label> labels;
    for (const std::uint32_t slot : std::span(order).subspan(at, count)) {
      images.push_back(memory_images[slot]);
      labels.push_back(memory_labels[slot]);
    }
    const LossTerm loss{0, labels, 1};
    by_hand->step(images, {&loss, 1}, rates[at == 0 ? 0 : 1]);
    at += count;
  }
  made->end_task(task, memory, rng);
  expect_close(theta(*made), by_hand->parameters());
}

TEST_F(Gdumb, LearnsFromAMemoryThatACodecStores) {
  Memory coded(20, ImageShape{1, 4, 4}, {}, {make_codec("bits:1")});
  Memory plain(20, kBytes);
  Batch one;
  for (std::uint32_t row = 0; row < 6; ++row) {
    one.gather(task, {&row, 1});
    coded.add(coded.make_example(one, 0, Part::ring));
    std::vector<std::uint8_t> pixels(kBytes);
    const std::uint8_t* decoded = coded.image(row, pixels);
    Example example = coded[row];
    example.image = store_image({decoded, kBytes});
    plain.add(example);
  }
  const auto from_coded = learner();
  const auto from_plain = learner();
  from_coded->end_task(task, coded, Rng(7));
  from_plain->end_task(task, plain, Rng(7));
  EXPECT_EQ(theta(*from_coded), theta(*from_plain));
}

TEST_F(Gdumb, GoesOnFromWhatItSaved) {
  const auto made = learner();
  made->end_task(task, memory, rng);
  Archive written;
  made->persist(written);
  const auto read = learner(3, /*seed=*/99);  // with other first weights
  Archive archive(written.bytes());
  read->persist(archive);
  archive.finish();
  EXPECT_EQ(theta(*read), theta(*made));
  for (Learner* each : {made.get(), read.get()}) each->end_task(next, memory, Rng(8));
  EXPECT_EQ(theta(*read), theta(*made));
}

TEST_F(Gdumb, CopiesKeepTheFirstWeights) {
  const auto made = learner();
  made->end_task(task, memory, rng);
  const auto copy = made->clone();
  const auto imagined = made->imagine();
  for (Learner* each : {made.get(), copy.get(), imagined.get()})
    each->end_task(next, memory_with({1, 2}), Rng(8));
  EXPECT_EQ(theta(*copy), theta(*made));
  EXPECT_EQ(theta(*imagined), theta(*made));
}

TEST_F(Gdumb, SaysWhenItDiverges) {
  options.learning_rate = 3e38f;
  const auto made = learner(/*epochs=*/20);
  try {
    made->end_task(next, memory, rng);
    FAIL() << "did not diverge";
  } catch (const Diverged& error) {
    EXPECT_THAT(error.what(), HasSubstr("after task 2; try a smaller learning rate"));
  }
}

}  // namespace gdumb_test
}  // namespace gps
