// Experience replay (Chaudhry et al., "On tiny episodic memories in continual learning", 2019; Eqn.
// 2 of the paper):
//   g(θ, P, M) = argmin_θ { L_t(θ, P) + λ L_t(θ, M) },
// each expectation estimated by the mean over a mini-batch, the memory's drawn without replacement.
#include <algorithm>
#include <array>

#include "gps/learners/learner.h"

namespace gps {
namespace {

class Er final : public Learner {
 public:
  Er(const LearnerOptions& options, std::unique_ptr<Network> network)
      : options_(options), network_(std::move(network)) {}
  Er(const Er& other)
      : Learner(other), options_(other.options_), network_(other.network_->clone()) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<Er>(*this); }
  Network& network() override { return *network_; }

  double observe(const Batch& now, const Memory& past, Rng& rng) override {
    const auto wanted = static_cast<std::size_t>(options_.memory_batch);
    rng.distinct(std::min(wanted, past.size()), past.size(), drawn_);
    images_.assign(now.images.begin(), now.images.end());
    labels_.assign(now.labels.begin(), now.labels.end());
    for (const std::uint32_t slot : drawn_) {
      images_.push_back(past[slot].image.get());
      labels_.push_back(past[slot].label);
    }
    const std::span<const Label> labels = labels_;
    std::array<LossTerm, 2> loss = {{
        {0, labels.first(now.size()), 1},
        {now.size(), labels.subspan(now.size()), options_.lambda},
    }};
    if (options_.er_loss == ErLoss::concat) {
      // The mean over all rows is the mean of the two means, weighted by their numbers of rows.
      const auto rows = static_cast<float>(labels.size());
      loss[0].weight *= static_cast<float>(now.size()) / rows;
      loss[1].weight *= static_cast<float>(drawn_.size()) / rows;
    }
    return network_->step(images_, loss, options_.learning_rate);
  }

 private:
  LearnerOptions options_;
  std::unique_ptr<Network> network_;
  // Buffers that keep their storage from step to step.
  std::vector<std::uint32_t> drawn_;
  std::vector<const std::uint8_t*> images_;
  std::vector<Label> labels_;
};

}  // namespace

std::unique_ptr<Learner> make_er(const LearnerOptions& options, std::unique_ptr<Network> network) {
  return std::make_unique<Er>(options, std::move(network));
}

}  // namespace gps
