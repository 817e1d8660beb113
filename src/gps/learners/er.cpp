// Experience replay (Chaudhry et al., "On tiny episodic memories in continual learning", 2019; Eqn.
// 2 of the paper):
//   g(θ, P, M) = argmin_θ { L_t(θ, P) + λ L_t(θ, M) },
// each expectation estimated by the mean over a mini-batch, the memory's drawn without replacement.
// GSS (Aljundi et al., "Gradient based sample selection for online continual learning", 2019) is
// the same update, repeated a few times for each batch, on a memory that the policy `gradient`
// keeps.
#include "gps/learners/learner.h"
#include "gps/learners/replay_terms.h"

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
    double loss = 0;
    for (int repeat = 0; repeat < options_.repeats; ++repeat) {
      rows_.start(now);
      rows_.draw(past, options_.memory_batch, rng);
      const auto terms = replay_terms(rows_, now.size(), options_);
      loss = network_->step(rows_.images(), terms, options_.learning_rate);
    }
    return loss;
  }

 private:
  LearnerOptions options_;
  std::unique_ptr<Network> network_;
  ReplayRows rows_;
};

}  // namespace

std::unique_ptr<Learner> make_er(const LearnerOptions& options, std::unique_ptr<Network> network) {
  return std::make_unique<Er>(options, std::move(network));
}

}  // namespace gps
