// Averaged gradient episodic memory (Chaudhry et al., "Efficient lifelong learning with A-GEM",
// 2019): a step along the gradient g of the current batch that does not, to first order, increase
// the loss on a batch drawn from memory, whose gradient is g_ref:
//   θ ← θ - lr (g - min(0, <g, g_ref>) / <g_ref, g_ref> · g_ref).
// Inner products and the step are computed from the parts in which the network returns its
// gradients (ExampleGradients), so an MLP never builds a flat gradient.
#include <array>
#include <numeric>

#include "gps/learners/network_learner.h"
#include "gps/learners/replay_rows.h"

namespace gps {
namespace {

class Agem final : public NetworkLearner {
 public:
  Agem(const LearnerOptions& options, std::unique_ptr<Network> network)
      : NetworkLearner(std::move(network)),
        options_(options),
        now_(network_->no_gradients()),
        reference_(network_->no_gradients()) {}
  Agem(const Agem& other) : Agem(other.options_, other.network_->clone()) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<Agem>(*this); }

  double observe(const Batch& now, const Memory& past, Rng& rng) override {
    const std::array<LossTerm, 1> loss = {{{0, now.labels, 1}}};
    if (past.is_empty()) return network_->step(now.images, loss, options_.learning_rate);

    rows_.clear();
    const std::size_t drawn = rows_.draw(past, options_.memory_batch, rng).size();
    const std::array<LossTerm, 1> memory_loss = {{{0, rows_.labels(0, drawn), 1}}};
    network_->gradients(rows_.images(), memory_loss, *reference_);
    const double before = network_->gradients(now.images, loss, *now_);

    const double along = product(*reference_, *now_);
    factors_.assign(now_->size(), -options_.learning_rate);
    now_->add_to(factors_, network_->weights());
    if (along < 0) {
      const double length = product(*reference_, *reference_);
      const auto factor = static_cast<float>(along / length) * options_.learning_rate;
      factors_.assign(reference_->size(), factor);
      if (length > 0) reference_->add_to(factors_, network_->weights());
    }
    return before;
  }

 private:
  // <Σ a, Σ b>
  double product(const ExampleGradients& a, const ExampleGradients& b) {
    products_.resize(a.size() * b.size());
    a.inner_products(b, products_);
    return std::accumulate(products_.begin(), products_.end(), 0.0);
  }

  LearnerOptions options_;
  std::unique_ptr<ExampleGradients> now_;
  std::unique_ptr<ExampleGradients> reference_;
  ReplayRows rows_;
  std::vector<float> products_;
  std::vector<float> factors_;
};

std::unique_ptr<Learner> make_agem(const LearnerOptions& options,
                                   std::unique_ptr<Network> network) {
  return std::make_unique<Agem>(options, std::move(network));
}

}  // namespace

LearnerEntry agem() {
  return {{"agem", "A-GEM",
           "Averaged gradient episodic memory: projects a step that would, to first order, raise "
           "the loss of a batch drawn from memory (Chaudhry et al. 2019)."},
          /*replays=*/true,
          /*relative_cost=*/1.1,
          "ring-full",
          /*learns_jointly=*/false,
          make_agem};
}

}  // namespace gps
