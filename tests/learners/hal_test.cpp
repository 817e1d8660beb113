#include "learners/tiny_step.h"

namespace gps {
namespace hal_test {

using Floats = std::vector<float>;
using Image = std::vector<std::uint8_t>;

// A network that remembers which images it was asked to keep the logits of.
class Watched final : public Network {
 public:
  explicit Watched(std::unique_ptr<Network> inner) : inner_(std::move(inner)) {}
  Watched(const Watched& other)
      : Network(other), steps(other.steps), inner_(other.inner_->clone()) {}

  std::unique_ptr<Network> clone() const override { return std::make_unique<Watched>(*this); }
  std::size_t inputs() const override { return inner_->inputs(); }
  std::size_t classes() const override { return inner_->classes(); }
  std::size_t feature_size() const override { return inner_->feature_size(); }
  void logits(ImageRows images, std::span<float> out) override { inner_->logits(images, out); }
  void features(ImageRows images, std::span<float> out) override { inner_->features(images, out); }
  double accumulate(ImageRows images, std::span<const LossTerm> terms) override {
    return inner_->accumulate(images, terms);
  }
  void descend(float learning_rate) override { inner_->descend(learning_rate); }
  double step(ImageRows images, std::span<const LossTerm> terms, float learning_rate) override {
    ++*steps;
    if (terms[0].loss == Loss::squared_error) {
      anchors.clear();
      for (const std::uint8_t* image : images) anchors.emplace_back(image, image + inputs());
    }
    return inner_->step(images, terms, learning_rate);
  }
  std::span<const float> row_logits(std::size_t row) const override {
    return inner_->row_logits(row);
  }
  std::unique_ptr<ExampleGradients> no_gradients() const override { return inner_->no_gradients(); }
  double example_gradients(ImageRows images, std::span<const LossTerm> terms,
                           ExampleGradients& out) override {
    return inner_->example_gradients(images, terms, out);
  }
  double input_gradient(std::span<const float> images, std::span<const LossTerm> terms,
                        std::span<float> out) override {
    return inner_->input_gradient(images, terms, out);
  }
  std::span<float> weights() override { return inner_->weights(); }
  Floats parameters() const override { return inner_->parameters(); }
  void set_parameters(std::span<const float> values) override { inner_->set_parameters(values); }
  Floats gradient() const override { return inner_->gradient(); }

  std::vector<Image> anchors;                             // of the last step
  std::shared_ptr<int> steps = std::make_shared<int>(0);  // of this one and all of its copies

 private:
  std::unique_ptr<Network> inner_;
};

class Hal : public testing::TinyStep {
 protected:
  Hal() {
    options.name = "hal";
    options.settings["hal_lambda"] = 2.0;  // so that the anchors matter
  }

  std::unique_ptr<Learner> watched() const {
    return make_learner(options, std::make_unique<Watched>(network()));
  }

  // The anchors that the learner has, by a step of a copy.
  std::vector<Image> anchors_of(const Learner& learner) {
    const auto copy = learner.clone();
    copy->observe(batch, memory, rng);
    return dynamic_cast<const Watched&>(network_of(*copy)).anchors;
  }

  std::vector<Image> mean_images(const Task& of) const {
    std::vector<Image> means;
    std::vector<std::uint8_t> scratch(kBytes);
    for (const auto& rows : of.train.rows_by_class()) {
      std::vector<double> sums(kBytes);
      for (const std::uint32_t row : rows) {
        const std::uint8_t* image = of.train.image(row, scratch);
        for (std::size_t p = 0; p < kBytes; ++p) sums[p] += image[p];
      }
      Image mean;
      for (const double sum : sums)
        mean.push_back(
            static_cast<std::uint8_t>(std::lround(sum / static_cast<double>(rows.size()))));
      means.push_back(mean);
    }
    return means;
  }

  static std::vector<const std::uint8_t*> rows_of(const std::vector<Image>& images) {
    std::vector<const std::uint8_t*> rows;
    for (const Image& image : images) rows.push_back(image.data());
    return rows;
  }

  // Adds the gradient of Eqn. 2 over the batch and all of the memory; returns the loss.
  double accumulate_replay(Network& net) const {
    const LossTerm now{0, batch.labels, 1};
    const LossTerm past{0, memory_labels, testing::value_of(options, "lambda")};
    return net.accumulate(batch.images, {&now, 1}) + net.accumulate(memory_images, {&past, 1});
  }

  // The mean features of each class of the batch.
  static Floats mean_features(Network& net, const Batch& of) {
    Floats features(of.size() * kFeatures);
    net.features(of.images, features);
    Floats means(kClasses * kFeatures);
    for (std::size_t c = 0; c < kClasses; ++c) {
      float count = 0;
      for (std::size_t r = 0; r < of.size(); ++r) {
        if (of.labels[r] != c) continue;
        ++count;
        for (std::size_t f = 0; f < kFeatures; ++f)
          means[c * kFeatures + f] += features[r * kFeatures + f];
      }
      for (std::size_t f = 0; f < kFeatures; ++f) means[c * kFeatures + f] /= count;
    }
    return means;
  }

  // θ_M, where the memory is one batch.
  std::unique_ptr<Network> fine_tuned(const Network& net) const {
    auto later = net.clone();
    const LossTerm past{0, memory_labels, 1};
    later->step(memory_images, {&past, 1}, options.learning_rate);
    return later;
  }

  // Where plain descent, one anchor alone, takes the mean images.
  void expect_descended(const std::vector<Image>& anchors, Network& now, Network& later,
                        const Floats& phi) const {
    const std::vector<Image> starts = mean_images(task);
    const auto steps = static_cast<int>(testing::value_of(options, "anchor_steps"));
    for (Label c = 0; c < kClasses; ++c) {
      Floats image;
      for (const std::uint8_t byte : starts[c]) image.push_back(static_cast<float>(byte) / 255);
      Floats one(kBytes);
      Floats other(kBytes);
      const LossTerm forgotten{0, {&c, 1}, -1};
      const std::array<LossTerm, 2> known = {{{0, {&c, 1}, 1},
                                              {0,
                                               {},
                                               testing::value_of(options, "hal_gamma"),
                                               Loss::feature_distance,
                                               std::span(phi).subspan(c * kFeatures, kFeatures),
                                               kFeatures}}};
      for (int step = 0; step < steps; ++step) {
        later.input_gradient(image, {&forgotten, 1}, one);
        now.input_gradient(image, known, other);
        for (std::size_t p = 0; p < kBytes; ++p)
          image[p] = std::clamp(image[p] - options.learning_rate * (one[p] + other[p]), 0.0f, 1.0f);
      }
      for (std::size_t p = 0; p < kBytes; ++p)
        EXPECT_NEAR(anchors[c][p], 255 * image[p], 2) << "class " << c << ", pixel " << p;
    }
  }

  // What an anchor of each class descends: -CE(θ_M) + CE(θ) + γ ‖features - φ‖², summed.
  double objective(const std::vector<Image>& anchors, Network& now, Network& later,
                   const Floats& phi) const {
    const std::vector<Label> labels = {0, 1, 2};
    const auto rows = rows_of(anchors);
    const LossTerm forgotten{0, labels, -kClasses};
    const LossTerm known{0, labels, kClasses};
    double sum = later.accumulate(rows, {&forgotten, 1}) + now.accumulate(rows, {&known, 1});
    Floats features(rows.size() * kFeatures);
    now.features(rows, features);
    for (std::size_t k = 0; k < features.size(); ++k)
      sum += static_cast<double>(testing::value_of(options, "hal_gamma") * (features[k] - phi[k]) *
                                 (features[k] - phi[k]));
    return sum;
  }
};

TEST_F(Hal, IsExperienceReplayUntilATaskIsFinished) {
  for (const char* form : {"sum", "concat"}) {
    options.settings["er_loss"] = form;
    options.memory_batch = 2;
    const auto hal = make_learner(options, network());
    const auto er = testing::make_named("er", options, network());
    Rng one(1);
    Rng other(1);
    for (int step = 0; step < 5; ++step)
      EXPECT_EQ(hal->observe(batch, memory, one), er->observe(batch, memory, other));
    EXPECT_EQ(network_of(*hal).parameters(), network_of(*er).parameters());
  }
}

TEST_F(Hal, DescendsReplayPlusTheChangeAtTheAnchorsBothFromTheta) {
  options.settings["anchor_steps"] = 0;  // the anchors are the mean images
  options.settings["lambda"] = 0.7;
  const auto hal = make_learner(options, network());
  hal->end_task(task, memory, rng);
  const std::vector<Image> anchors = mean_images(task);
  const auto rows = rows_of(anchors);

  const auto reference = network();
  double loss = accumulate_replay(*reference);
  const Floats replayed = stepped(*reference, options.learning_rate);
  const auto later = network();
  later->set_parameters(replayed);
  Floats targets(anchors.size() * kClasses);
  later->logits(rows, targets);
  const LossTerm change{
      0, {}, testing::value_of(options, "hal_lambda"), Loss::squared_error, targets, kClasses};
  loss += reference->accumulate(rows, {&change, 1});
  const Floats expected = stepped(*reference, options.learning_rate);

  EXPECT_NEAR(hal->observe(batch, memory, rng), loss, 1e-5);
  expect_close(network_of(*hal).parameters(), expected);
  EXPECT_GT(largest_difference(expected, replayed), 1e-3);  // the anchors do something
}

TEST_F(Hal, IsExperienceReplayWithoutAnyWeightOnTheAnchors) {
  options.settings["hal_lambda"] = 0.0;
  const auto hal = make_learner(options, network());
  const auto er = testing::make_named("er", options, network());
  hal->end_task(task, memory, rng);
  for (int step = 0; step < 3; ++step) {
    hal->observe(batch, memory, rng);
    er->observe(batch, memory, rng);
  }
  expect_close(network_of(*hal).parameters(), network_of(*er).parameters());
}

TEST_F(Hal, LeavesOneAnchorForEachClassOfEachTask) {
  for (const char* variant : {"mean", "mammoth"}) {
    options.settings["hal_variant"] = variant;
    const auto hal = watched();
    hal->end_task(task, memory, Rng(1));
    EXPECT_EQ(anchors_of(*hal).size(), 3u);
    const std::vector<Image> first = anchors_of(*hal);
    std::vector<std::uint32_t> rows = next.train.rows_by_class()[1];
    hal->end_task({2, next.train.subset(rows)}, memory, Rng(2));  // a task of one class
    const std::vector<Image> all = anchors_of(*hal);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(std::vector(all.begin(), all.begin() + 3), first);
  }
}

TEST_F(Hal, StartsAnchorsAsMeanImagesOrAsNoise) {
  options.settings["anchor_steps"] = 0;
  const auto hal = watched();
  hal->end_task(task, memory, Rng(1));
  EXPECT_EQ(anchors_of(*hal), mean_images(task));

  options.settings["hal_variant"] = "mammoth";
  const auto mammoth = watched();
  mammoth->end_task(task, memory, Rng(1));
  const auto other = watched();
  other->end_task(task, memory, Rng(2));
  EXPECT_NE(anchors_of(*mammoth), anchors_of(*other));
}

TEST_F(Hal, AnchorsDescendTheirObjective) {
  options.settings["hal_beta"] = 0.0;  // φ is that of the last batch
  options.settings["hal_gamma"] = 3.0;
  batch.gather(task, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto hal = watched();
  hal->begin_task(task, memory, rng);
  for (int step = 0; step < 5; ++step) hal->observe(batch, memory, rng);
  const Floats phi = mean_features(network_of(*hal), batch);
  const auto now = network_of(*hal).clone();
  const auto later = fine_tuned(*now);
  hal->end_task(task, memory, Rng(1));
  EXPECT_LT(objective(anchors_of(*hal), *now, *later, phi),
            objective(mean_images(task), *now, *later, phi) - 0.01);
}

TEST_F(Hal, PullsAnchorsToTheDecayingMeanFeaturesOfTheirClass) {
  options.settings["hal_beta"] = 0.25;
  options.settings["hal_gamma"] = 3.0;
  options.settings["anchor_steps"] = 5;
  Batch second;
  batch.gather(task, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  second.gather(task, std::vector<std::uint32_t>{14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  const auto hal = watched();
  hal->observe(second, memory, rng);  // of an earlier task, whose φ is dropped
  hal->begin_task(task, memory, rng);
  hal->observe(batch, memory, rng);
  Floats phi = mean_features(network_of(*hal), batch);
  hal->observe(second, memory, rng);
  const Floats latest = mean_features(network_of(*hal), second);
  for (std::size_t k = 0; k < phi.size(); ++k) phi[k] = 0.25f * phi[k] + 0.75f * latest[k];
  const auto now = network_of(*hal).clone();
  const auto later = fine_tuned(*now);
  hal->end_task(task, memory, Rng(1));
  const std::vector<Image> anchors = anchors_of(*hal);
  expect_descended(anchors, *now, *later, phi);
  EXPECT_NE(anchors, mean_images(task));
}

TEST_F(Hal, FineTunesByOneEpochOverTheMemoryOrByOneStep) {
  options.memory_batch = 4;  // of 6 examples
  for (const auto& [variant, steps] : {std::pair("mean", 2), std::pair("mammoth", 1)}) {
    options.settings["hal_variant"] = variant;
    const auto hal = watched();
    hal->end_task(task, memory, Rng(1));
    EXPECT_EQ(*dynamic_cast<const Watched&>(network_of(*hal)).steps, steps);
  }
}

TEST_F(Hal, ImaginesWithTheAnchorsThereAreAndAddsNone) {
  const auto hal = watched();
  const auto before = hal->imagine();
  before->end_task(task, memory, Rng(1));
  EXPECT_EQ(anchors_of(*before).size(), 0u);

  hal->end_task(task, memory, Rng(1));
  const auto imagined = hal->imagine();
  imagined->end_task(next, memory, Rng(2));
  EXPECT_EQ(anchors_of(*imagined), anchors_of(*hal));
  EXPECT_EQ(network_of(*imagined->clone()).parameters(), network_of(*hal).parameters());
  imagined->clone()->end_task(next, memory, Rng(2));
  EXPECT_EQ(anchors_of(*imagined->clone()).size(), 3u);  // a copy of a dream is one

  Rng one(4);
  Rng other(4);
  EXPECT_EQ(imagined->observe(batch, memory, one), hal->observe(batch, memory, other));
  EXPECT_EQ(network_of(*imagined).parameters(), network_of(*hal).parameters());
  hal->end_task(next, memory, Rng(2));
  EXPECT_EQ(anchors_of(*hal).size(), 6u);
}

TEST_F(Hal, LeavesTheNetworkAsItIsWhenATaskEnds) {
  const auto hal = watched();
  hal->observe(batch, memory, rng);
  const Floats theta = network_of(*hal).parameters();
  hal->end_task(task, memory, rng);
  EXPECT_EQ(network_of(*hal).parameters(), theta);
}

TEST_F(Hal, SaysSoWhereFineTuningDiverges) {
  for (const char* variant : {"mean", "mammoth"}) {
    for (const int memory_batch : {1, 6}) {  // several steps, or one
      options.settings["hal_variant"] = variant;
      options.memory_batch = memory_batch;
      options.learning_rate = 1e30f;
      const auto hal = watched();
      EXPECT_THROW(hal->end_task(task, memory, Rng(1)), Diverged) << variant << memory_batch;
    }
  }
}

TEST_F(Hal, MakesAnchorsWithoutAMemory) {
  const auto hal = watched();
  hal->observe(batch, Memory(5, kBytes), rng);
  hal->end_task(task, Memory(5, kBytes), rng);
  EXPECT_EQ(anchors_of(*hal).size(), 3u);
}

}  // namespace hal_test
}  // namespace gps
