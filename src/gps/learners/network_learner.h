// A learner that trains one Network, as all learners of this library do.
#pragma once

#include "gps/learners/learner.h"

namespace gps {

class NetworkLearner : public Learner {
 public:
  explicit NetworkLearner(std::unique_ptr<Network> network) : network_(std::move(network)) {}
  NetworkLearner(const NetworkLearner& other) : Learner(other), network_(other.network_->clone()) {}

  std::size_t classes() const override { return network_->classes(); }
  void scores(ImageRows images, std::span<float> out) override { network_->logits(images, out); }
  std::size_t feature_size() const override { return network_->feature_size(); }
  void features(ImageRows images, std::span<float> out) override {
    network_->features(images, out);
  }
  bool is_finite() const override;
  void persist(Archive& archive) override { network_->persist(archive); }
  Network* network() final { return network_.get(); }

 protected:
  const std::unique_ptr<Network> network_;
};

}  // namespace gps
