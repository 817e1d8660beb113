// Plain stochastic gradient descent without a memory: the lower bound. Trained on all tasks at once
// (the learner "joint"), it is the upper bound.
#include <array>

#include "gps/learners/network_learner.h"

namespace gps {
namespace {

class Sgd final : public NetworkLearner {
 public:
  Sgd(const LearnerOptions& options, std::unique_ptr<Network> network)
      : NetworkLearner(std::move(network)), learning_rate_(options.learning_rate) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<Sgd>(*this); }

  double observe(const Batch& now, const Memory& /*past*/, Rng& /*rng*/) override {
    const std::array<LossTerm, 1> loss = {{{0, now.labels, 1}}};
    return network_->step(now.images, loss, learning_rate_);
  }

 private:
  float learning_rate_;
};

std::unique_ptr<Learner> make_sgd(const LearnerOptions& options, std::unique_ptr<Network> network) {
  return std::make_unique<Sgd>(options, std::move(network));
}

}  // namespace

LearnerEntry sgd() {
  return {{"sgd", "(lower bound)",
           "No memory: learns one task after another and does nothing against forgetting."},
          /*replays=*/false,
          /*relative_cost=*/0.5,
          "none",
          /*learns_jointly=*/false,
          make_sgd};
}

LearnerEntry joint() {
  LearnerEntry entry = {
      {"joint", "(upper bound)", "Needs no memory: learns all tasks at once, shuffled together."},
      /*replays=*/false,
      /*relative_cost=*/0.5,
      "none",
      /*learns_jointly=*/true,
      make_sgd};
  entry.why_not_lasting = "needs all tasks at once";
  return entry;
}

}  // namespace gps
