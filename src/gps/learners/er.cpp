// Experience replay (Chaudhry et al., "On tiny episodic memories in continual learning", 2019; Eqn.
// 2 of the paper):
//   g(θ, P, M) = argmin_θ { L_t(θ, P) + λ L_t(θ, M) },
// where each expectation is estimated by the mean over a mini-batch. The memory's mini-batch is
// drawn without replacement.
// GSS (Aljundi et al., "Gradient based sample selection for online continual learning", 2019) is
// the same update, repeated `repeats` times for each batch, with the memory of the policy
// `gradient`.
#include "gps/learners/network_learner.h"
#include "gps/learners/replay_terms.h"

namespace gps {
namespace {

struct GssOptions {
  int repeats = 1;
};

const OptionTable<GssOptions>& gss_options() {
  static const OptionTable<GssOptions> table = {
      option("repeats", &GssOptions::repeats, "steps for each batch").at_least(1),
  };
  return table;
}

class Er final : public NetworkLearner {
 public:
  Er(const LearnerOptions& options, int repeats, std::unique_ptr<Network> network)
      : NetworkLearner(std::move(network)),
        options_(options),
        replay_(replay_options().read(options.settings)),
        repeats_(repeats) {}
  Er(const Er& other)
      : NetworkLearner(other),
        options_(other.options_),
        replay_(other.replay_),
        repeats_(other.repeats_) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<Er>(*this); }

  double observe(const Batch& now, const Memory& past, Rng& rng) override {
    double loss = 0;
    for (int repeat = 0; repeat < repeats_; ++repeat) {
      rows_.start(now);
      rows_.draw(past, options_.memory_batch, rng);
      const auto terms = replay_terms(rows_, now.size(), replay_);
      loss = network_->step(rows_.images(), terms, options_.learning_rate);
    }
    return loss;
  }

 private:
  LearnerOptions options_;
  ReplayOptions replay_;
  int repeats_;
  ReplayRows rows_;
};

std::unique_ptr<Learner> make_er(const LearnerOptions& options, std::unique_ptr<Network> network) {
  return std::make_unique<Er>(options, /*repeats=*/1, std::move(network));
}

std::unique_ptr<Learner> make_gss(const LearnerOptions& options, std::unique_ptr<Network> network) {
  return std::make_unique<Er>(options, gss_options().read(options.settings).repeats,
                              std::move(network));
}

}  // namespace

LearnerEntry er() {
  return {{"er", "ER, Eqn. 2",
           "Experience replay: each step descends the loss of the current batch plus λ times the "
           "loss of a batch drawn from memory (Chaudhry et al. 2019).",
           replay_options().rows()},
          /*replays=*/true,
          /*relative_cost=*/1,
          "reservoir",
          /*learns_jointly=*/false,
          make_er};
}

LearnerEntry gss() {
  return {{"gss", "GSS",
           "Gradient-based sample selection: er's update; the policy gradient keeps examples whose "
           "gradients point in different directions (Aljundi et al. 2019).",
           replay_options().rows() + gss_options().rows()},
          /*replays=*/true,
          /*relative_cost=*/2.3,
          "gradient",
          /*learns_jointly=*/false,
          make_gss};
}

}  // namespace gps
