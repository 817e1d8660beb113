// A learner need not be made of a Network: any training loop can be one. Here the class whose mean
// image is nearest.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gps/policies/mixed.h"
#include "gps/training/evaluate.h"
#include "gps/training/trainer.h"
#include "support/tiny_data.h"

namespace gps {
namespace foreign_learner_test {

class NearestMean final : public Learner {
 public:
  NearestMean(std::size_t classes, std::size_t pixels)
      : pixels_(pixels), counts_(classes), sums_(classes * pixels) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<NearestMean>(*this); }
  double observe(const Batch& now, const Memory& /*past*/, Rng& /*rng*/) override {
    for (std::size_t row = 0; row < now.size(); ++row) {
      counts_[now.labels[row]] += 1;
      for (std::size_t k = 0; k < pixels_; ++k)
        sums_[now.labels[row] * pixels_ + k] += now.images[row][k];
    }
    return is_broken ? std::nan("") : 1;
  }
  std::size_t classes() const override { return counts_.size(); }
  void scores(ImageRows images, std::span<float> out) override {
    for (std::size_t row = 0; row < images.size(); ++row) {
      for (std::size_t c = 0; c < classes(); ++c) {
        double distance = 0;
        for (std::size_t k = 0; k < pixels_; ++k)
          distance +=
              std::pow(images[row][k] - sums_[c * pixels_ + k] / std::max(1.0, counts_[c]), 2);
        out[row * classes() + c] = static_cast<float>(-distance / 1000);
      }
    }
  }
  std::size_t feature_size() const override { return pixels_; }
  void features(ImageRows images, std::span<float> out) override {
    for (std::size_t row = 0; row < images.size(); ++row) {
      for (std::size_t k = 0; k < pixels_; ++k) out[row * pixels_ + k] = images[row][k];
    }
  }
  bool is_finite() const override { return is_whole; }

  bool is_broken = false;
  bool is_whole = true;

 private:
  std::size_t pixels_;
  std::vector<double> counts_;
  std::vector<double> sums_;
};

class ForeignLearner : public ::testing::Test {
 protected:
  void train(MemoryPolicy& policy) {
    train_task(learner, policy, memory, task, {.epochs = 2, .batch = 10}, Rng(1));
    finish_task(learner, policy, memory, task, Rng(1));
  }

  Task task{1, testing::tiny_dataset(3, 20)};
  NearestMean learner{3, task.train.shape().bytes()};
  Memory memory{12, task.train.shape().bytes()};
};

TEST_F(ForeignLearner, IsTrainedAndJudgedLikeAnyOther) {
  train(*make_reservoir());
  EXPECT_EQ(memory.size(), 12u);
  EXPECT_GT(evaluate(learner, task.train).accuracy, 0.9);
}

TEST_F(ForeignLearner, MeetsPoliciesThatLookAtWhatItSaysAndFeels) {
  for (const auto& make : {+[] { return make_herding(); }, +[] { return make_cur_res(0.5); },
                           +[] { return make_mixed({0.5}, InTask::strict, {Base::curriculum}); }}) {
    memory = Memory(12, task.train.shape().bytes());
    train(*make());
    EXPECT_EQ(memory.size(), 12u);
  }
}

TEST_F(ForeignLearner, IsRefusedByThoseThatNeedANetwork) {
  EXPECT_EQ(learner.network(), nullptr);
  EXPECT_THROW(network_of(learner), UsageError);
  const auto gradient = make_gradient(GssVariant::mammoth, 10);
  EXPECT_THROW(train(*gradient), UsageError);
}

TEST_F(ForeignLearner, CannotBeSavedUnlessItSaysHow) {
  Archive archive;
  EXPECT_THROW(learner.persist(archive), UsageError);
}

TEST_F(ForeignLearner, IsStoppedWhenItSaysThatItIsNoLongerFinite) {
  const auto policy = make_no_memory();
  learner.is_whole = false;
  EXPECT_THROW(train(*policy), Diverged);
  learner.is_whole = true;
  learner.is_broken = true;
  EXPECT_THROW(train(*policy), Diverged);
}

}  // namespace foreign_learner_test
}  // namespace gps
