// A learner that passes everything on to another one: for tests that watch or change some of it.
#pragma once

#include "gps/learners/learner.h"

namespace gps::testing {

class PassingLearner : public Learner {
 public:
  explicit PassingLearner(std::unique_ptr<Learner> inner) : inner_(std::move(inner)) {}

  std::unique_ptr<Learner> clone() const override { return inner_->clone(); }
  std::unique_ptr<Learner> imagine() const override { return clone(); }
  void begin_task(const Task& task, const Memory& past, const Rng& rng) override {
    inner_->begin_task(task, past, rng);
  }
  void end_task(const Task& task, const Memory& memory, const Rng& rng) override {
    inner_->end_task(task, memory, rng);
  }
  double observe(const Batch& now, const Memory& past, Rng& rng) override {
    return inner_->observe(now, past, rng);
  }
  bool stores_logits() const override { return inner_->stores_logits(); }
  void batch_logits(std::vector<float>& out) const override { inner_->batch_logits(out); }
  std::size_t classes() const override { return inner_->classes(); }
  void scores(ImageRows images, std::span<float> out) override { inner_->scores(images, out); }
  std::size_t feature_size() const override { return inner_->feature_size(); }
  void features(ImageRows images, std::span<float> out) override { inner_->features(images, out); }
  bool is_finite() const override { return inner_->is_finite(); }
  void persist(Archive& archive) override { inner_->persist(archive); }
  Network* network() override { return inner_->network(); }

 protected:
  std::unique_ptr<Learner> inner_;
};

}  // namespace gps::testing
